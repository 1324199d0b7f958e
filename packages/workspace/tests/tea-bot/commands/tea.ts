import { command, row, text } from '@botwright/framework'
import cup from '../buttons/cup.ts'

export default command({
  description: 'Asks who wants tea',
  args: { tea: text({ max: 20 }).default('black') },
  run: (ctx) => ({
    content: `${ctx.user.name} makes ${ctx.args.tea} tea. Who wants some?`,
    components: [row(cup.button({ tea: ctx.args.tea }, { label: 'Me!', style: 'success' }))],
  }),
})
