import { button, integer, type Outgoing, row } from '@botwright/framework'
import { roll, sumText } from '../lib/dice.ts'

const again = button({
  params: { count: integer({ min: 1, max: 20 }), sides: integer({ min: 2, max: 100 }) },
  run: (ctx) => rolled(ctx.user.name, ctx.params),
})

/** The result of a roll, with a button to roll again. */
export function rolled(name: string, dice: { count: number; sides: number }): Outgoing {
  return {
    content: `🎲 ${name} rolls ${sumText(roll(dice.count, dice.sides))}`,
    components: [row(again.button(dice, { label: 'Roll again', emoji: '🎲' }))],
  }
}

export default again
