import { pages, text } from '@botwright/framework'
import { scores } from '../scores.ts'

export default pages({
  size: 10,
  params: { season: text() },
  load: (_, page) => {
    const all = scores(page.params.season)
    const lines = all.slice(page.offset, page.offset + page.size)
    return { title: `Scores of ${page.params.season}`, lines, total: all.length }
  },
})
