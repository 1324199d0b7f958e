import { expect, test } from 'vitest'
import type { Delivery } from '@botwright/events'
import { choice } from '../../../author/buttons/face.ts'
import { click, deliver, id, message, start } from '../../../tests/loaded-bot.test.fixture.ts'
import { recordingLayer } from './recording-layer.ts'

const run = 'export default () => {}'

/** The first recorded step of each delivery, without its time. */
async function firstSteps(files: Record<string, string>, deliveries: Delivery[]): Promise<unknown[]> {
  const sent: object[] = []
  const layer = recordingLayer(
    { root: '/', modules: {} },
    {
      send: (steps) => void sent.push((JSON.parse(`[${steps[5] as string}]`) as [object])[0]),
      sendSoon: () => {},
      continues: () => {},
    },
  )
  const { bot } = await start(files, {}, {}, layer)
  for (const delivery of deliveries) {
    await bot.handle(delivery)
    layer.flush?.()
  }
  return sent.map((step) => ({ ...step, r: undefined }))
}

test('an event is recorded with the file that handles it, or with the reason why none does', async () => {
  const files = { 'commands/order/add.ts': run, 'buttons/yes.ts': run, 'events/member_join.ts': run }
  const { custom_id: closed } = choice('a', { label: 'A' })
  expect(
    await firstSteps(files, [
      message({ command: 'order', args: 'add', content: '/order add' }),
      message({ command: 'order', args: 'ad', content: '/order ad' }),
      message({ content: '/oder add' }),
      message({ content: '/zzz' }),
      message({ content: 'hello' }),
      message({ content: 'hello', author_bot: true }),
      message({ content: 'hello', author_bot: true, author_id: id(1) }),
      deliver('reaction_add', { user_id: id(1), channel_id: id(20) }),
      deliver('reaction_add', { user_id: id(2), channel_id: id(20) }),
      click('yes'),
      click('no'),
      click(closed!),
      deliver('member_join', { user_id: id(2) }),
    ]),
  ).toEqual([
    { kind: 'matched', file: 'commands/order/add.ts' },
    { kind: 'unmatched', reason: 'no_command' },
    { kind: 'unmatched', reason: 'no_command', near: 'order' },
    { kind: 'unmatched', reason: 'no_command' },
    { kind: 'unmatched', reason: 'no_file' },
    { kind: 'unmatched', reason: 'bot_message' },
    { kind: 'unmatched', reason: 'own_event' },
    { kind: 'unmatched', reason: 'own_event' },
    { kind: 'unmatched', reason: 'no_file' },
    { kind: 'matched', file: 'buttons/yes.ts' },
    { kind: 'unmatched', reason: 'no_file' },
    { kind: 'unmatched', reason: 'closed_question' },
    { kind: 'matched', file: 'events/member_join.ts' },
  ])
})
