// Runs every snippet of the kit's guide three times in one process, each time with its own bot. The second and third load their
// commands on first use. The configuration of vitest has a test of its own, `conditions.program.test.ts`.

import { readFile } from 'node:fs/promises'
import { createRest } from '@botwright/rest'
import { startService } from '@botwright/service'
import { HandlerError, joinChat, startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const repository = new URL('../../../../', import.meta.url)
const guide = await readFile(new URL('packages/testing/docs/testing.md', repository), 'utf8')
const snippets = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)]
  .map(([, path = '', text = '']) => ({ path, text }))
  .filter(({ path }) => !path.endsWith('/vitest.config.ts'))

type Step = () => unknown
type Run = (names: Record<string, unknown>) => Promise<unknown>

/** A snippet as a function of the names that it uses. */
function compiled(text: string): Run {
  const body = text.replaceAll(/^import .*\n/gm, '').replaceAll('import.meta.url', 'moduleUrl')
  const code = ts.transpile(`async function run() {\n${body}\n}`, { target: ts.ScriptTarget.ES2022 })
  return (names) =>
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own documentation
    (new Function(...Object.keys(names), `${code}; return run()`) as (...values: unknown[]) => Promise<unknown>)(
      ...Object.values(names),
    )
}

/** Runs a snippet: the tests that it declares, or its statements with a running bot. */
async function runSnippet({ path, text }: (typeof snippets)[number]): Promise<number> {
  const moduleUrl = new URL(path, repository).href
  const folder = new URL(path.includes('/test/') ? '../' : './', moduleUrl)
  const tests: Step[] = []
  const before: Step[] = []
  const after: Step[] = []
  const declare = (_title: string, run: Step) => tests.push(run)
  const names = {
    ...{ createRest, startService, HandlerError, joinChat, startTestBot, expect, moduleUrl },
    ...{ start: () => startTestBot(folder), test: declare, it: declare },
    ...{ beforeAll: (run: Step) => before.push(run), afterAll: (run: Step) => after.push(run) },
  }
  const run = compiled(text)
  const isFragment = !/^(?:test|it)\(/m.test(text)
  if (isFragment) {
    const world = /^const world = /m.test(text)
    await using chat: TestBot = await startTestBot(folder)
    await run(world ? names : { ...names, chat, ann: chat.person('ann') })
    return 1
  }
  await run(names)
  for (const step of before) await step()
  try {
    for (const step of tests) await step()
  } finally {
    for (const step of after) await step()
  }
  return tests.length
}

test('the guide has snippets', () => {
  expect(snippets.length).toBeGreaterThan(6)
})

describe.each(snippets)('snippet %# of the guide, from $path', (snippet) => {
  test.each([1, 2, 3])('bot %i', async () => {
    expect(await runSnippet(snippet)).toBeGreaterThan(0)
  })
})
