import { fileField, pemField, textField } from './entry-fields.ts'
import type { Entry } from './kubeconfig.ts'
import type { UserTarget } from './target.ts'

export function readUser(
  user: Entry | undefined,
  as: { as?: string; asGroups?: string[] },
): UserTarget {
  return {
    name: user?.name,
    cert: user && pemField(user, 'client-certificate')?.text,
    key: user && pemField(user, 'client-key')?.text,
    token: user && textField(user, 'token'),
    tokenFile: user && fileField(user, 'tokenFile'),
    basic: undefined,
    exec: undefined,
    authProvider: undefined,
    impersonate: { user: as.as, groups: as.asGroups ?? [], uid: undefined, extra: {} },
  }
}
