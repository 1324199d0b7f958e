import { button, date, oneOf, uuid } from '@botwright/framework'

/** Earlier buttons had only yes and no, and never expired; they still work. */
export default button({
  params: { poll: uuid(), choice: oneOf('yes', 'no', 'maybe'), until: date() },
  run: (ctx) => {
    if (ctx.clock.now() > ctx.params.until.getTime()) return ctx.ephemeral('This poll is over.')
    return ctx.reply(`${ctx.user.name}: ${ctx.params.choice}`)
  },
}).formerly({ poll: uuid(), choice: oneOf('yes', 'no') }, ({ poll, choice }) => ({
  poll,
  choice,
  until: new Date('2100-01-01'),
}))
