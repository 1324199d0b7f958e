import { invariant } from '@botwright/testing/simulation'

invariant('no negative purse', (bot) => bot.state<number>('purse').every(({ value }) => value >= 0))

// Everyone begins with 100 coins.
invariant('coins are neither made nor lost', (bot) => {
  const extra = bot.state<number>('purse').reduce((sum, { value }) => sum + value - 100, 0)
  return extra === 0 || `${extra} coins more than before`
})

// A clock may have jumped back since a visit.
invariant('no visit is in the future', ({ state, clock }) =>
  state<number>('visit').every(({ value }) => value <= clock.now() + clock.jumpedMs),
)
