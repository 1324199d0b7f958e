import { choice, command, row } from '@botwright/framework'
import { pickOne } from '../lib/questions.ts'
import points from '../state/points.ts'

export default command({
  description: 'Asks everyone a question: the first correct click wins',
  run: async (ctx) => {
    const { text, choices, answer } = pickOne()
    const buttons = row(...choices.map((label) => choice(label, { label })))
    const asked = await ctx.reply({ content: `🏁 ${text}`, components: [buttons] })
    const wrong = new Set<string>()
    for (;;) {
      const click = await ctx.clicked(asked, { by: 'anyone', timeout: '1m' })
      const { id, name } = click.user
      if (wrong.has(id)) await click.ephemeral('You have already guessed.')
      else if (click.params !== answer) {
        wrong.add(id)
        await click.ephemeral(`No, it is not ${click.params}.`)
      } else {
        await points.of(ctx, { user_id: id }).update((before) => before + 1)
        return click.update({ content: `🏁 ${text} **${answer}!** ${name} was first.`, components: null })
      }
    }
  },
})
