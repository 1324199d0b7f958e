import { button, integer, row } from '@botwright/framework'

/** The button carries the count, so clicks still work after a restart. */
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
