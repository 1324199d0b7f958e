import { command } from '@botwright/framework'

export default command({ description: 'Reacts', run: (ctx) => ctx.react('👍') })
