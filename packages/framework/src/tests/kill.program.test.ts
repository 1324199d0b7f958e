import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../workspace/soak/kill.mjs', import.meta.url))

/** The short form of the soak: the built program, a real service, random kills. */
const soak = (signal: string) =>
  new Promise<{ error: Error | null; result: Record<string, number> }>((resolve) =>
    execFile(
      process.execPath,
      [script],
      { env: { ...process.env, KILLS: '5', EVENTS: '150', SIGNAL: signal, NODE_OPTIONS: '' } },
      (error, stdout) => resolve({ error, result: JSON.parse(stdout || '{}') as Record<string, number> }),
    ),
  )

test('kill -9 loses no event, keeps the order, and marks all repeats', async () => {
  const { error, result } = await soak('SIGKILL')
  expect(result).toMatchObject({ kills: 5, lost: 0, disorder: 0, unmarked: 0, setAside: 0 })
  expect(error).toBeNull()
})

test('SIGTERM loses and repeats no event, and exits with 0', async () => {
  const { error, result } = await soak('SIGTERM')
  expect(result).toMatchObject({ kills: 5, lost: 0, disorder: 0, repeated: 0, badExits: 0 })
  expect(error).toBeNull()
})
