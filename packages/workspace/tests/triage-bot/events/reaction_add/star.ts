import { emoji, event } from '@botwright/framework'

export default event('reaction_add', {
  when: emoji('⭐', '🌟'),
  run: (ctx) => `${ctx.user.name} likes it`,
})
