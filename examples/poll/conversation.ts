import type { Answer, Person, Seen } from '@botwright/testing'

/** Records one line of the transcript: who did what, and the result. */
export type Tell = (who: string, what: string, seen?: Seen) => void

function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`expected ${what}`)
}

const votes = (poll: Pick<Seen, 'embeds'>) => poll.embeds[0]?.footer?.text

/** Two people create a poll, vote, change their votes and close it. Throws on an unexpected answer. */
export async function converse({ ann, bob, tell }: { ann: Person; bob: Person; tell: Tell }): Promise<void> {
  const ask = '/poll "Where do we eat?" Noodles Tacos "Stay in"'
  const poll = await ann.says(ask)
  tell('ann', ask, poll.first)
  expectThat(poll.embeds[0]?.title === 'Where do we eat?' && votes(poll) === '0 votes', 'a poll with no votes')

  const first = await vote(ann, poll, 'Noodles', tell)
  expectThat(votes(first.update) === '1 vote', 'one vote')
  expectThat(first.told === 'You voted for Noodles.', 'a note that only ann sees')

  const second = await vote(bob, poll, 'Tacos', tell)
  expectThat(votes(second.update) === '2 votes', 'two votes')

  const changed = await vote(bob, poll, 'Noodles', tell)
  expectThat(changed.told === 'You changed your vote to Noodles.', 'a changed vote')
  expectThat(changed.update.embeds[0]?.fields?.[0]?.value.includes(' 2 ') ?? false, 'two votes for noodles')

  const refused = await bob.clicks('Close', poll)
  tell('bob', 'clicks [Close]', refused.first)
  expectThat(refused.ephemeral && refused.content.startsWith('Only the person who asked'), 'a refusal')

  const closed = await ann.clicks('Close', poll)
  tell('ann', 'clicks [Close]', closed.first)
  expectThat(votes(closed) === 'closed · 2 votes', 'a closed poll')
  expectThat(closed.components.length === 0, 'no buttons on a closed poll')

  const usage = await bob.says('/poll "Only a question"')
  tell('bob', '/poll "Only a question"', usage.first)
  expectThat(usage.content.includes('/poll'), 'the usage')
}

async function vote(person: Person, poll: Answer, choice: string, tell: Tell) {
  const answer = await person.clicks(choice, poll)
  const [update] = answer.updates
  const [told] = answer.replies
  expectThat(update !== undefined && told?.ephemeral === true, 'an update and a note')
  tell(person.username, `clicks [${choice}]`, update)
  tell('', '', told)
  return { update, told: told.content }
}
