import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { expect, test } from 'vitest'
import { ChatRig } from './chat-rig.test.fixture.ts'

// The reading path of .github/CONTRIBUTING.md names the files that a command and its reply pass.

const page = readFileSync(new URL('../../../../.github/CONTRIBUTING.md', import.meta.url), 'utf8')

/** The source files in the list after a heading of the page. */
function listed(heading: string): string[] {
  const list = page.slice(page.indexOf(`**${heading}:**`)).split('\n\n')[1] ?? ''
  return [...list.matchAll(/\(\.\.\/(packages\/[^)]+\.ts)\)/g)].map(([, path = '']) => path)
}

interface Phases {
  seen?: (phase: 'in' | 'out') => Promise<void>
}

test('a command and its reply pass the files of the reading path, and few others', async () => {
  await using rig = await ChatRig.start()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  /** The files whose functions have run since the last call. */
  const files = async (): Promise<string[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ran = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
    )
    const paths = ran.map(({ url }) => url.slice(url.indexOf('packages/')))
    return paths.filter((path) => /^packages\/(?:framework|events|rest)\/src\/.*(?<!\.test|\.fixture)\.ts$/.test(path))
  }
  const phases: Record<string, string[]> = {}
  const rounds: (typeof phases)[] = []
  const shared = globalThis as Phases
  shared.seen = async (phase) => void (phases[phase] = await files())
  const source = `export default async (ctx) => {
    await globalThis.seen('in')
    await ctx.reply('pong')
    await globalThis.seen('out')
  }`
  try {
    await rig.startBot({ 'commands/ping.ts': source }, { dispatcher: 'inline' })
    for (let round = 1; round <= 5; round++) {
      delete phases['out']
      await files()
      await rig.says('ann', `/ping ${round}`)
      await rig.until(() => phases['out'] !== undefined)
      rounds.push({ ...phases })
    }
  } finally {
    delete shared.seen
    session.disconnect()
  }
  const incoming = listed('The message comes in')
  const outgoing = listed('The reply goes out')
  expect([incoming.length, outgoing.length]).toEqual([9, 8])
  // The first round loads code, and timers may run in any of them: a file of the path runs in each round.
  const [into = [], out = []] = ['in', 'out'].map((phase) =>
    rounds[0]![phase]!.filter((file) => rounds.every((round) => round[phase]!.includes(file))),
  )
  expect(into).toEqual(expect.arrayContaining(incoming))
  expect(out).toEqual(expect.arrayContaining(outgoing))
  // Lower these when the path gets shorter.
  expect(into.length).toBeLessThanOrEqual(30)
  expect(out.length).toBeLessThanOrEqual(26)
})
