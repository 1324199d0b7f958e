import { command, row } from '@botwright/framework'
import again from '../buttons/again.ts'

export default command({
  description: 'Replies with pong',
  run: (ctx) =>
    ctx.reply({
      content: `Pong, ${ctx.user.name}!`,
      components: [row(again.button({ label: 'Again', style: 'primary' }))],
    }),
})
