import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

const run = promisify(execFile)

test('a script signs in as ann, posts, reads the answer and clicks', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const script = fileURLToPath(new URL('person.js', import.meta.url))
  const { stdout } = await run(process.execPath, [script, chat.service.url])
  expect(stdout).toBe('Tea?\nann takes tea.\n')
})
