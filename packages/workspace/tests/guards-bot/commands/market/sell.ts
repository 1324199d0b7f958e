import { command } from '@botwright/framework'

export default command({ description: 'Sells something', run: (ctx) => `${ctx.user.name} has sold` })
