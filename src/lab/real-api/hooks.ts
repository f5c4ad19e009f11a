import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { LabUser } from '../api/users.ts'
import { webhookPaths } from '../api/webhooks.ts'
import type { Authority } from '../certificates.ts'
import { type AdmissionReview, mutate, validate } from './admission.ts'
import { interceptEviction } from './eviction.ts'
import { type Hook, type HookServer, startHookServer } from './hook-server.ts'
import { tokenReviewer } from './token-review.ts'
import { virtApi } from './virt-api.ts'

export interface HooksOptions {
  authority: Authority
  /** ms since the epoch. */
  validity: { notBefore: number; notAfter: number }
  users: LabUser[]
  clock: Clock
  /** virt-api's own way to the API server, once there is one. */
  cluster(): Promise<Cluster>
}

/** Where the API server asks who somebody is. */
export const TOKEN_PATH = '/token'

/** What KubeVirt's virt-api does for an API server, and what says who its users are. */
export async function startHooks(
  options: HooksOptions,
): Promise<HookServer & { webhooksPath: string }> {
  const { authority, validity, users, clock, cluster } = options
  const identity = await authority.issue({
    commonName: 'virt-api',
    usage: ['server'],
    names: ['127.0.0.1', 'localhost', 'virt-api.kubevirt.svc'],
    ...validity,
  })
  const webhooksPath = `/${randomBytes(24).toString('base64url')}`
  const webhooks: Record<string, Hook> = {
    [webhookPaths.mutate]: async (review) =>
      mutate(review as AdmissionReview, await cluster(), clock.now()),
    [webhookPaths.evict]: async (review) =>
      interceptEviction(review as AdmissionReview, await cluster()),
  }
  for (const name of webhookPaths.validate)
    webhooks[name] = async (review) =>
      validate(name, review as AdmissionReview, await cluster(), clock.now())
  const server = await startHookServer(
    { ...identity, ca: authority.cert },
    {
      trusted: { [TOKEN_PATH]: tokenReviewer(users) },
      secret: Object.fromEntries(
        Object.entries(webhooks).map(([name, hook]) => [`${webhooksPath}/${name}`, hook]),
      ),
      aggregated: virtApi(cluster, clock),
    },
  )
  return { ...server, webhooksPath }
}
