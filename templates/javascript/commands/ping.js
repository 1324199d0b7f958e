import { command, row } from '@botwright/framework'
import again from '../buttons/again.js'

export default command({
  description: 'Replies with pong',
  run: (ctx) =>
    ctx.reply({
      content: `Pong, ${ctx.user.name}!`,
      components: [row(again.button({ count: 1 }, { label: 'Again', style: 'primary' }))],
    }),
})
