import { renameSync, writeFileSync } from 'node:fs'
import { type Authority, createAuthority } from '../../src/lab/certificates.ts'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'

/** Certificates on disk that are renewed while proxies run, in the order in which KubeVirt does it. */
export interface Rotation {
  /** One step: trust the next authority too, present its certificates, trust it alone. */
  next(): Promise<void>
}

export async function startRotation(dir: string): Promise<Rotation> {
  let generation = 0
  let authority = await create()
  let following: Authority | undefined
  let step = 0
  write('ca', authority.cert)
  await present(authority)

  return {
    async next() {
      if (step === 0) {
        following = await create()
        write('ca', `${authority.cert}\n${following.cert}`)
      } else if (step === 1) {
        await present(following!)
      } else {
        authority = following!
        write('ca', authority.cert)
      }
      step = (step + 1) % 3
    },
  }

  function create(): Promise<Authority> {
    generation++
    return createAuthority(`kubevirt.io@${generation}`, dates())
  }

  async function present(by: Authority): Promise<void> {
    const server = await by.issue({ commonName: SERVER_NAME, usage: ['server'], ...dates() })
    const client = await by.issue({
      commonName: MIGRATION_CLIENT_NAME,
      usage: ['client'],
      ...dates(),
    })
    for (const [name, pair] of Object.entries({ server, client })) {
      write(`${name}-cert`, pair.cert)
      write(`${name}-key`, pair.key)
    }
  }

  function write(name: string, text: string): void {
    writeFileSync(`${dir}/${name}.tmp`, text, { mode: 0o600 })
    renameSync(`${dir}/${name}.tmp`, `${dir}/${name}.pem`)
  }
}

function dates(): { notBefore: number; notAfter: number } {
  return { notBefore: Date.now() - 60_000, notAfter: Date.now() + 86_400_000 }
}
