import type { Message } from '@botwright/protocol'
import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Ephemeral, PeopleError } from '../../../people.ts'
import { jumpTo } from '../../state/actions.ts'
import { attempt } from '../../state/toasts.ts'
import { api } from '../../state/api.ts'
import { Avatar, BotTag } from '../../components/avatar.tsx'
import { Buttons } from './buttons.tsx'
import { EditForm } from './edit-form.tsx'
import { edits } from '../../state/drafts.ts'
import { Embed } from './embed.tsx'
import { ErrorCard } from './error-card.tsx'
import { Icon } from '../../components/icons.tsx'
import { pictureLinks } from '../../../lib/markdown/read.ts'
import { pictureAddress } from '../../components/links.ts'
import { Markdown, plainText } from '../../components/markdown/markdown.tsx'
import { MessageActions } from './message-actions.tsx'
import { authorOf, nameStyle, memberName, nameOf } from '../../state/names.ts'
import { Picture } from '../../components/picture.tsx'
import { Reactions } from './reactions.tsx'
import { dismissEphemeral, highlighted, isOnline, messages, overlay } from '../../state/store.ts'
import { activeMessage, InMessage, useTabStop } from '../../components/tab-stop.ts'
import { longTime, shortTime } from '../../state/time.ts'
import { useFetched } from '../../stream/use-fetched.ts'

/** Shown instead of a quoted message. One that failed is requested again after a lost connection. */
const quoteTexts = {
  gone: 'The original message was deleted',
  failed: 'The original message could not be loaded',
}

/** The message that is replied to; a click jumps to it. Fetches it if it is not loaded. */
function Quote({ channelId, id }: { channelId: string; id: string }) {
  const known = messages.value[channelId]?.find((each) => each.id === id)
  const [fetched, setFetched] = useState<Message | keyof typeof quoteTexts>()
  const missing = known === undefined && isOnline.value
  useEffect(() => {
    if (!missing) return
    api.messages.get({ channel_id: channelId, message_id: id }).then(setFetched, (error: unknown) => {
      setFetched(error instanceof PeopleError && error.status === 404 ? 'gone' : 'failed')
    })
  }, [missing])
  useFetched((changed) => setFetched((before) => (typeof before === 'object' ? (changed(before) ?? 'gone') : before)))
  const quoted = known ?? fetched
  const tabIndex = useTabStop()
  if (typeof quoted !== 'object') {
    return (
      <div class="quote">
        <span class="quote-text">{quoted === undefined ? 'Loading…' : quoteTexts[quoted]}</span>
      </div>
    )
  }
  return (
    <button
      type="button"
      class="quote"
      title="Jump to this message"
      tabIndex={tabIndex}
      onClick={() => void attempt(() => jumpTo({ channel_id: channelId, id }))}
    >
      <span class="quote-author" dir="auto">
        {nameOf(quoted.author_id, quoted.author)}
      </span>
      <span class="quote-text" dir="auto">
        {plainText(quoted.content) || (quoted.embeds[0]?.title ?? 'an embed')}
      </span>
    </button>
  )
}

function Pictures({ message }: { message: Message | Ephemeral }) {
  const links = pictureLinks(message.content)
  if ('attachment' in message && message.attachment !== null) links.unshift(message.attachment)
  const shown = links.flatMap((url) => pictureAddress(url) ?? [])
  const tabIndex = useTabStop()
  return (
    <>
      {shown.map((url) => (
        <a key={url} class="picture-link" href={url} target="_blank" rel="noopener noreferrer" tabIndex={tabIndex}>
          <Picture class="picture" url={url} alt="Image in this message" />
        </a>
      ))}
    </>
  )
}

function AuthorName({ message, name, onClick }: { message: Message | Ephemeral; name: string; onClick: () => void }) {
  const look = nameStyle(message.author_id)
  return (
    <button
      type="button"
      class={`message-author ${look.class}`}
      style={look.style}
      dir="auto"
      tabIndex={useTabStop()}
      onClick={onClick}
    >
      {name}
    </button>
  )
}

type FrameProps = {
  message: Message | Ephemeral
  grouped: boolean
  name: string
  before?: ComponentChildren
  children: ComponentChildren
}

/** Author, time and avatar; a grouped message shows its time on hover only. */
function Frame({ message, grouped, name, before, children }: FrameProps) {
  const author = authorOf(message.author_id, message.author)
  const shown = memberName(author)
  const bot = author.bot || ('author_bot' in message ? message.author_bot : true)
  const classes = ['message', grouped && 'is-grouped', highlighted.value === message.id && 'is-highlighted', name]
  const profile = () => (overlay.value = { kind: 'profile', userId: message.author_id })
  const time = (
    <time dateTime={message.created_at} title={longTime(message.created_at)}>
      {shortTime(message.created_at)}
    </time>
  )
  return (
    <InMessage.Provider value={message.id}>
      <article
        class={classes.filter(Boolean).join(' ')}
        data-id={message.id}
        tabIndex={activeMessage.value === message.id ? 0 : -1}
        aria-label={`${shown}, ${shortTime(message.created_at)}`}
      >
        {before}
        <div class="message-side">
          {grouped ? (
            time
          ) : (
            <button
              type="button"
              class="bare avatar-button"
              tabIndex={-1}
              aria-label={`Profile of ${shown}`}
              onClick={profile}
            >
              <Avatar id={message.author_id} name={shown} url={author.avatar_url} />
            </button>
          )}
        </div>
        <div class="message-main">
          {!grouped && (
            <div class="message-head">
              <AuthorName message={message} name={shown} onClick={profile} />
              {bot && <BotTag />}
              {time}
              {'pinned' in message && message.pinned && (
                <span class="pinned" title="Pinned">
                  <Icon name="pin" size={12} />
                  <span class="visually-hidden">pinned</span>
                </span>
              )}
            </div>
          )}
          {children}
        </div>
      </article>
    </InMessage.Provider>
  )
}

const Cards = ({ message }: { message: Message | Ephemeral }) => (
  <>
    <Pictures message={message} />
    {message.embeds.map((embed, index) => (
      <Embed key={index} embed={embed} />
    ))}
  </>
)

/** A message of a channel. */
export function MessageItem({ message, grouped }: { message: Message; grouped: boolean }) {
  // The keys typed in one edit must not render the other messages.
  const edit = useComputed(() => edits.value[message.id]).value
  const isEditing = edit !== undefined && edit.isSaving !== true
  const classes = `${message.mentioned ? 'is-mention' : ''} ${isEditing ? '' : 'has-actions'}`
  const quote = message.reply_to_id !== null && <Quote channelId={message.channel_id} id={message.reply_to_id} />
  return (
    <Frame message={message} grouped={grouped} name={classes} before={quote}>
      {isEditing ? (
        <EditForm message={message} edit={edit} />
      ) : (
        message.content !== '' && <Markdown text={message.content} />
      )}
      {message.edited_at !== null && !isEditing && (
        <span class="edited" title={longTime(message.edited_at)}>
          edited
        </span>
      )}
      <Cards message={message} />
      <Buttons message={message} />
      <Reactions message={message} />
      <ErrorCard messageId={message.id} />
      {!isEditing && <MessageActions message={message} />}
    </Frame>
  )
}

const DismissButton = ({ message: { channel_id, id } }: { message: Ephemeral }) => (
  <button type="button" class="link-button" tabIndex={useTabStop()} onClick={() => dismissEphemeral(channel_id, id)}>
    Dismiss
  </button>
)

/** A message that only the viewer can see, until reload or dismissal (§4, callback). */
export function EphemeralItem({ message }: { message: Ephemeral }) {
  return (
    <Frame message={message} grouped={false} name="is-ephemeral">
      {message.content !== '' && <Markdown text={message.content} />}
      <Cards message={message} />
      <p class="ephemeral-note">
        <Icon name="eye" size={13} /> Only you can see this · <DismissButton message={message} />
      </p>
    </Frame>
  )
}
