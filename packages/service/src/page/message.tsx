import type { Message } from '@botwright/protocol'
import type { ComponentChildren } from 'preact'
import type { Ephemeral } from '../people.ts'
import { Avatar, BotTag } from './avatar.tsx'
import { Buttons } from './buttons.tsx'
import { EditForm } from './edit-form.tsx'
import { Embed, Picture } from './embed.tsx'
import { Icon } from './icons.tsx'
import { Markdown, pictureLinks } from './markdown.tsx'
import { MessageActions } from './message-actions.tsx'
import { authorOf, nameStyle, memberName, nameOf, toTyped } from './names.ts'
import { Reactions } from './reactions.tsx'
import { dismissEphemeral, editing, messages } from './store.ts'
import { longTime, shortTime } from './time.ts'

function Quote({ channelId, id }: { channelId: string; id: string }) {
  const quoted = messages.value[channelId]?.find((each) => each.id === id)
  return (
    <div class="quote">
      <Icon name="reply" size={12} />
      {quoted ? (
        <>
          <span class="quote-author">{nameOf(quoted.author_id, quoted.author)}</span>
          <span class="quote-text">{toTyped(quoted.content) || 'an embed'}</span>
        </>
      ) : (
        <span class="quote-text">a message that is not shown here</span>
      )}
    </div>
  )
}

function Pictures({ message }: { message: Message | Ephemeral }) {
  const links = pictureLinks(message.content)
  if ('attachment' in message && message.attachment !== null) links.unshift(message.attachment)
  return (
    <>
      {links.map((url) => (
        <a key={url} class="picture-link" href={url} target="_blank" rel="noopener noreferrer">
          <Picture class="picture" url={url} alt="Picture in this message" />
        </a>
      ))}
    </>
  )
}

type FrameProps = { message: Message | Ephemeral; grouped: boolean; name: string; children: ComponentChildren }

/** Author, time and avatar; a grouped message shows its time on hover only. */
function Frame({ message, grouped, name, children }: FrameProps) {
  const author = authorOf(message.author_id, message.author)
  const shown = memberName(author)
  const look = nameStyle(message.author_id)
  const bot = author.bot || ('author_bot' in message ? message.author_bot : true)
  const time = (
    <time dateTime={message.created_at} title={longTime(message.created_at)}>
      {shortTime(message.created_at)}
    </time>
  )
  return (
    <li
      class={`message ${grouped ? 'is-grouped' : ''} ${name}`}
      aria-label={`${shown}, ${shortTime(message.created_at)}`}
    >
      <div class="message-side">
        {grouped ? time : <Avatar id={message.author_id} name={shown} url={author.avatar_url} />}
      </div>
      <div class="message-main">
        {!grouped && (
          <div class="message-head">
            <span class={`message-author ${look.class}`} style={look.style}>
              {shown}
            </span>
            {bot && <BotTag />}
            {time}
          </div>
        )}
        {children}
      </div>
    </li>
  )
}

/** A message of a channel. */
export function MessageItem({ message, grouped }: { message: Message; grouped: boolean }) {
  const isEditing = editing.value === message.id
  return (
    <Frame message={message} grouped={grouped} name={message.mentioned ? 'is-mention' : ''}>
      {message.reply_to_id !== null && <Quote channelId={message.channel_id} id={message.reply_to_id} />}
      {isEditing ? <EditForm message={message} /> : message.content !== '' && <Markdown text={message.content} />}
      {message.edited_at !== null && !isEditing && (
        <span class="edited" title={longTime(message.edited_at)}>
          edited
        </span>
      )}
      <Pictures message={message} />
      {message.embeds.map((embed, index) => (
        <Embed key={index} embed={embed} />
      ))}
      <Buttons message={message} />
      <Reactions message={message} />
      {!isEditing && <MessageActions message={message} />}
    </Frame>
  )
}

/** A message that only the viewer sees, until reload or dismissal (§4, callback). */
export function EphemeralItem({ message }: { message: Ephemeral }) {
  return (
    <Frame message={message} grouped={false} name="is-ephemeral">
      {message.content !== '' && <Markdown text={message.content} />}
      <Pictures message={message} />
      {message.embeds.map((embed, index) => (
        <Embed key={index} embed={embed} />
      ))}
      <p class="ephemeral-note">
        <Icon name="eye" size={13} /> Only you can see this ·{' '}
        <button type="button" class="link-button" onClick={() => dismissEphemeral(message.channel_id, message.id)}>
          Dismiss
        </button>
      </p>
    </Frame>
  )
}
