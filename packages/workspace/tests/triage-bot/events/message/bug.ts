import { event } from '@botwright/framework'

export default event('message', {
  match: /\bBUG-(?<id>\d+)\b/,
  run: (ctx) => `https://bugs.example/${ctx.match.groups.id}`,
})
