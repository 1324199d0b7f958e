import { command, row } from '@botwright/framework'

export default command({
  description: 'Shows a deck behind a button',
  run: (ctx) => ({ content: 'Cards?', components: [row(ctx.button('cards', { deck: 'red' }, { label: 'Show' }))] }),
})
