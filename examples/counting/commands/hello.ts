import { command } from '@botwright/framework'

export default command({ description: 'Says hello', run: (ctx) => `Hello, ${ctx.author.name}. Try /count.` })
