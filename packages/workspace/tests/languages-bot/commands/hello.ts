import { command } from '@botwright/framework'

export default command({
  description: 'Greets',
  run: (ctx) => ctx.t('hello', { name: ctx.author.name }),
})
