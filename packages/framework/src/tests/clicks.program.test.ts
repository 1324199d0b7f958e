import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../workspace/soak/clicks.mjs', import.meta.url))

/** The short form of the soak: a built bot, a real service, and a handler that blocks its thread. */
const soak = (counts: Record<string, string>) =>
  new Promise<{ error: Error | null; result: Record<string, number> }>((resolve) =>
    execFile(process.execPath, [script], { env: { ...process.env, ...counts, NODE_OPTIONS: '' } }, (error, stdout) =>
      resolve({ error, result: JSON.parse(stdout || '{}') as Record<string, number> }),
    ),
  )

test(
  'no click fails, whatever its handler does, even if one blocks the thread of all others',
  { tags: 'all/processes' },
  async () => {
    // A click fails after 3 s: a thread that is blocked for less proves nothing.
    const { error, result } = await soak({ CLICKS: '60', RATE: '30', SLOW_MS: '2500', BLOCK_MS: '4000' })
    expect(result).toMatchObject({ clicks: 60, answered: 60, failed: 0, refused: 0, unfinished: 0 })
    expect(result['acks']).toBeGreaterThan(0)
    expect(error).toBeNull()
  },
)
