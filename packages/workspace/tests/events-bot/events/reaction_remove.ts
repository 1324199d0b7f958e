import { event } from '@botwright/framework'

export default event('reaction_remove', (ctx) => `${ctx.user.name} takes ${ctx.event.emoji} back`)
