import { button, text, user } from '@botwright/framework'

/** A note can be too long for a custom_id, so the bot stores it for a week. */
export default button({
  spill: '7d',
  params: { by: user(), note: text() },
  outdated: 'This note is gone.',
  run: (ctx) => ctx.ephemeral(`<@${ctx.params.by}> noted: ${ctx.params.note}`),
})
