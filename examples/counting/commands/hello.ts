import { command } from '@botwright/framework'

export default command({ description: 'Greets you', run: (ctx) => `Hello, ${ctx.author.name}. Try /count.` })
