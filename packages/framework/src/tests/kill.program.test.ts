import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../workspace/soak/kill.mjs', import.meta.url))

/** The short form of the soak: the built program, a real service, random kills. */
const soak = (signal: string, kills: number) =>
  new Promise<{ error: Error | null; result: Record<string, number> }>((resolve) =>
    execFile(
      process.execPath,
      [script],
      { env: { ...process.env, KILLS: String(kills), EVENTS: String(kills * 30), SIGNAL: signal, NODE_OPTIONS: '' } },
      (error, stdout) => resolve({ error, result: JSON.parse(stdout || '{}') as Record<string, number> }),
    ),
  )

async function kill(kills: number): Promise<void> {
  const { error, result } = await soak('SIGKILL', kills)
  expect(result).toMatchObject({ kills, lost: 0, disorder: 0, unmarked: 0, setAside: 0 })
  expect(error).toBeNull()
}
async function terminate(kills: number): Promise<void> {
  const { error, result } = await soak('SIGTERM', kills)
  expect(result).toMatchObject({ kills, lost: 0, disorder: 0, repeated: 0, badExits: 0 })
  expect(error).toBeNull()
}

test('kill -9 loses no event, keeps the order, and marks all repeats', () => kill(2))
test('SIGTERM loses and repeats no event, and exits with 0', { tags: ['all/processes'] }, () => terminate(2))

describe('more often', { tags: 'all/crash-points' }, () => {
  test('kill -9 loses no event, keeps the order, and marks all repeats', () => kill(5))
  test('SIGTERM loses and repeats no event, and exits with 0', () => terminate(5))
})
