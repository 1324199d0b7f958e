import { embed, oneOf, pages } from '@botwright/framework'

const cards = ['ace', 'king', 'queen']

/** Each page is a message of its own form. */
export default pages({
  size: 1,
  params: { deck: oneOf('red', 'black') },
  load: (_, page) =>
    page.number === 1
      ? { content: `The ${page.params.deck} deck`, total: cards.length }
      : { embeds: [embed({ title: cards[page.offset]! })], total: cards.length },
})
