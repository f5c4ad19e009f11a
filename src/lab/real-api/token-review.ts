import { createHash } from 'node:crypto'
import type { LabUser } from '../api/users.ts'

interface TokenReview {
  spec?: { token?: string }
}

/**
 * Answers an API server that asks whose token it was shown (authentication.k8s.io/v1 TokenReview). A file of tokens
 * could not say on which node a virt-handler is: it has no place for a user's extra fields.
 */
export function tokenReviewer(users: LabUser[]): (review: unknown) => object {
  // By digest: a lookup by the token itself would tell its bytes by time.
  const byDigest = new Map(users.map((user) => [digest(user.token), user]))
  return (review) => {
    const user = byDigest.get(digest((review as TokenReview).spec?.token ?? ''))
    const { name: username, groups, extra } = user ?? {}
    return {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      status: {
        authenticated: user !== undefined,
        ...(user && { user: { username, groups, ...(extra && { extra }) } }),
      },
    }
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
