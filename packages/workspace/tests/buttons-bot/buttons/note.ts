import { button, text, user } from '@botwright/framework'

/** A note is longer than any custom_id: it stands in the bot's store for a week. */
export default button({
  spill: '7d',
  params: { by: user(), note: text() },
  outdated: 'This note is gone.',
  run: (ctx) => ctx.ephemeral(`<@${ctx.params.by}> noted: ${ctx.params.note}`),
})
