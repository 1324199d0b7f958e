import { AdvanceableClock, systemClock } from '@botwright/clock'
import { test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

const HOUR_MS = 60 * 60_000
const framework = new URL('../../../dist/index.js', import.meta.url).href

const files = {
  'buttons/note.ts': `import { button, text } from '${framework}'
    export default button({ params: { about: text() }, spill: '1h', run: ({ params }) => 'about ' + params.about })`,
  'commands/offer.ts': `import note from '../buttons/note.mjs'
    import { row } from '${framework}'
    const offer = (about) => ({ content: 'Tea?', components: [row(note.button({ about }, { label: 'Yes' }))] })
    export default async (ctx) => {
      const held = await ctx.send(ctx.channel_id, offer(ctx.typed))
      if (ctx.typed === 'black') await ctx.edit(held, offer('green'))
      return 'done'
    }`,
}

test.each(['green', 'black'])(
  'the params of the buttons of a held message are kept from the time when it is sent: %s',
  async (typed) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    await rig.startBot(files, { clock, config: { quietHours: quietNow } })
    await rig.says('ann', `/offer ${typed}`)
    await rig.until(async () => (await rig.texts()).includes('done'))
    clock.advance(3 * HOUR_MS)
    await rig.until(async () => (await rig.texts()).includes('Tea?'))
    await rig.clicks()
    await rig.until(async () => (await rig.texts()).includes('about green'))
    clock.advance(HOUR_MS)
    await rig.clicks()
    await rig.until(async () => (await rig.callbacks()).includes('ephemeral'))
  },
)
