import { stringify } from 'yaml'
import { kubeconfigName, type LabUser } from './users.ts'

/** A kubeconfig with a context for each user, the first one current. Holds their tokens: keep it 0600. */
export function kubeconfigText(
  { name, url, caCert }: { name: string; url: string; caCert: string },
  users: LabUser[],
  { namespace, contextName }: { namespace?: string | undefined; contextName?: string | undefined },
): string {
  const named = users.map((user, index) => ({
    user,
    id: kubeconfigName(user),
    context: index === 0 && contextName ? contextName : kubeconfigName(user),
  }))
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': named[0]?.context ?? '',
    clusters: [
      {
        name,
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(caCert).toString('base64'),
        },
      },
    ],
    contexts: named.map(({ id, context }) => ({
      name: context,
      context: { cluster: name, user: id, ...(namespace ? { namespace } : {}) },
    })),
    users: named.map(({ user, id }) => ({ name: id, user: { token: user.token } })),
  })
}
