import { command, escape, rest } from '@botwright/framework'

/** `/quote …`: repeats a text without its Markdown, links and mentions. Escaping makes a text longer: `max` keeps the reply within the limit. */
export default command({
  description: 'Repeats a text literally',
  args: { words: rest() },
  run: (ctx) => ctx.reply(`**${escape(ctx.user.name, { max: 200 })}** said: ${escape(ctx.args.words, { max: 1700 })}`),
})
