import { event } from '@botwright/framework'

export default event('message', {
  // The names of the groups are typed, because the pattern is a text.
  match: '^level (?<level>low|high)$',
  run: (ctx) => `The level is ${ctx.match.groups.level}.`,
})
