import { command } from '@botwright/framework'

export default command({ description: 'Greets', run: (ctx) => `Hello, ${ctx.author.name}. Try /count.` })
