import { limits } from '@botwright/protocol/limits'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import type { ListedBot, OwnedBot, ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { authorOf, memberName } from '../state/names.ts'
import { goTo } from '../state/route.ts'
import { person } from '../state/store.ts'
import { attempt, showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Rows, Section } from '../forms/frame.tsx'
import { mayNot, type Reason } from '../state/permissions.ts'

type Offer = {
  id: string
  username: string
  display_name: string | null
  avatar_url: string | null
  note: string
  review: string
}

const reviewWords = {
  private: 'private, your servers only',
  submitted: 'in review',
  approved: 'approved',
  sent_back: 'sent back by staff',
}

const ownOffer = (bot: OwnedBot): Offer => ({ ...bot, note: 'Yours', review: reviewWords[bot.review.state] })
const listedOffer = (bot: ListedBot): Offer => ({ ...bot, note: bot.description, review: 'approved' })

/** The bots that can be added: the person's own and the approved ones. */
function useOffers(view: ServerView): Offer[] | undefined {
  const [offers, setOffers] = useState<Offer[]>()
  useEffect(() => {
    Promise.all([api.bots.list(), api.submissions.listed()]).then(([own, listed]) => {
      const mine = own.bots.map(ownOffer)
      const others = listed.bots.filter((bot) => !mine.some((each) => each.id === bot.id)).map(listedOffer)
      setOffers([...mine, ...others])
    }, showError)
  }, [view.server.id, view.bots.length])
  return offers?.filter((offer) => !view.bots.some((bot) => bot.id === offer.id))
}

/** A bot with one action. Its text is in `children`. */
function BotRow({
  bot,
  action,
  class: kind,
  refused,
  onAction,
  children,
}: {
  bot: Pick<Offer, 'id' | 'username' | 'display_name' | 'avatar_url'> &
    Partial<Pick<ServerView['bots'][number], 'presence'>>
  action: string
  class: string
  refused: Reason
  onAction: () => void
  children: ComponentChildren
}) {
  const name = memberName(bot)
  return (
    <li class="row">
      <Avatar id={bot.id} name={name} url={bot.avatar_url} {...(bot.presence && { presence: bot.presence })} />
      <div class="row-text">
        <strong>
          {name} <BotTag />
        </strong>
        <p>{children}</p>
      </div>
      <button
        type="button"
        class={`button ${kind}`}
        aria-label={`${action} ${name}`}
        disabled={refused !== undefined}
        title={refused}
        onClick={onAction}
      >
        {action}
      </button>
    </li>
  )
}

export function Bots({ view }: { view: ServerView }) {
  const serverId = view.server.id
  const offers = useOffers(view)
  const [removing, setRemoving] = useState<ServerView['bots'][number]>()
  const missing = mayNot(view, 'manage_server')
  const { max } = limits.bots_per_server
  const stuck: Reason =
    missing ?? (view.bots.length >= max ? `A server can have at most ${max} bots. Remove one first` : undefined)
  return (
    <>
      <Section title="Bots" description={`${view.bots.length} of ${max} in this server.`}>
        <Rows empty="No bots yet. Add one below, or create your own on the Developer screen.">
          {view.bots.map((bot) => (
            <BotRow
              key={bot.id}
              bot={bot}
              action="Remove"
              class="button-secondary is-danger"
              refused={missing}
              onAction={() => setRemoving(bot)}
            >
              by {bot.owner_id === person.value?.id ? 'you' : memberName(authorOf(bot.owner_id))} ·{' '}
              {plural(bot.commands.length, 'command')}
            </BotRow>
          ))}
        </Rows>
        {missing !== undefined && <p class="reason">{missing}.</p>}
      </Section>
      <Section
        title="Add a bot"
        description="You can add your own bots and approved bots of others."
        actions={
          <button type="button" class="button button-secondary" onClick={() => goTo({ screen: 'developer' })}>
            Open Developer screen
          </button>
        }
      >
        {stuck !== undefined && <p class="reason">{stuck}.</p>}
        <Rows empty="No bots to add. All of your own are already in this server, and no other bot is approved.">
          {(offers ?? []).map((offer) => (
            <BotRow
              key={offer.id}
              bot={offer}
              action="Add"
              class="button-primary"
              refused={stuck}
              onAction={() =>
                void attempt(async () => {
                  await api.servers.addBot({ server_id: serverId, bot_id: offer.id })
                  await loadServer(serverId)
                })
              }
            >
              {offer.note} · {offer.review}
            </BotRow>
          ))}
        </Rows>
      </Section>
      {removing && (
        <Confirm
          title={`Remove ${memberName(removing)}?`}
          action="Remove"
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await api.servers.removeBot({ server_id: serverId, bot_id: removing.id })
            await loadServer(serverId)
          }}
        >
          <p>The bot loses its roles here and no longer receives events of this server. Its messages stay.</p>
        </Confirm>
      )}
    </>
  )
}
