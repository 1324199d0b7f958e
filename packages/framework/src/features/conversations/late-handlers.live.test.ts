import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

test('a handler that is too slow after an answer is named, not the file of other messages', async () => {
  let posts = 0
  const call = (async () => ({
    id: `q${++posts}`,
    channel_id: 'c',
    created_at: new Date(0).toISOString(),
  })) as unknown as Call
  const outcomes: (string | undefined)[] = []
  const observer = { outcome: ({ file }: { file?: string | undefined }) => void outcomes.push(file) }
  await using rig = new Rig('inline', { call, handlerSeconds: 0.2, observer })
  const source = rig.source("export default async (ctx) => { await ctx.ask('Name?'); await new Promise(() => {}) }")
  const [path] = Object.values(source.modules)
  const entries = [
    ...source.manifest.entries,
    { kind: 'event', name: 'reaction_add', file: 'events/reaction_add.ts' } as const,
  ]
  const modules = { ...rig.source('export default () => {}').modules, 'events/reaction_add.ts': path! }
  await rig.dispatcher.replace({ ...source, manifest: { entries }, modules, eager: Object.keys(modules) })
  await rig.react(1, 'c')
  await rig.say(2, 'Ann', 'c')
  expect(rig.logged('error')).toEqual([
    expect.stringMatching(/^events\/reaction_add\.ts: did not end within 0\.2 s \(event 2\)/),
  ])
  expect(outcomes).toEqual(['events/reaction_add.ts'])
})
