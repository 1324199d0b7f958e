import { expect, test } from 'vitest'
import { wakeDelivery } from '../../../link/run-event.ts'
import type { Layer } from '../../../bot/layer.ts'
import type { StepMessage } from '../../../link/recorded-step.ts'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts } from '../../durable/runs/restarts.test.fixture.ts'
import { recordingLayer } from './recording-layer.ts'

test('a recording names the answer for which a run continued with its era: ids start again after a reset of the feed', async () => {
  const rig = new Restarts()
  const files = { 'commands/go.ts': durable("return 'got ' + (await ctx.ask('Days?', { timeout: '1h' }))") }
  const begun = message({ command: 'go' })
  await (await rig.start(files)).bot.handle(begun)
  const sent: StepMessage[number][] = []
  const layer: Layer = recordingLayer(
    { root: '', modules: {} },
    {
      send: (steps) => void sent.push(...steps),
      sendSoon: () => setImmediate(() => layer.flush?.()),
      continues: () => {},
    },
  )
  const { bot } = await rig.start(files, {}, layer)
  const { event } = message({ content: '3' })
  const wake = { run: String(begun.event.id), file: 'commands/go.ts', answer: { ...event, id: 1, era: 2 } }
  await bot.handle(wakeDelivery(wake, { now: rig.clock.now() }))
  layer.flush?.()
  expect(sent.join()).toContain('"kind":"continued"')
  expect(sent.join()).toContain('"answer":"1@2"')
})
