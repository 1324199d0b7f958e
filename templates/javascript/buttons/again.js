import { button, integer, row } from '@botwright/framework'

/** The count travels in the button itself, so a click works after a restart too. */
const again = button({
  params: { count: integer({ min: 1, max: 1_000_000 }) },
  run: (ctx) => ctx.update(pong(ctx.params.count + 1)),
})

/**
 * @param {number} count
 * @returns {Exclude<import('@botwright/framework').Outgoing, string>}
 */
function pong(count) {
  return {
    content: `Pong × ${count}`,
    components: [row(again.button({ count }, { label: 'Again', style: 'primary' }))],
  }
}

export default again
