import { event, mentioned } from '@botwright/framework'

export default event('message', {
  when: mentioned(),
  run: (ctx) => `Hello ${ctx.user.name}!`,
})
