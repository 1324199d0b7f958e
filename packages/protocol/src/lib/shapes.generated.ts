// size: table. Written from the schemas by scripts/write-shapes.mjs: change those, then `npm run shapes -w packages/protocol`.

/** A row of buttons (§2). */
export interface ActionRow {
  type: 'row'
  components: Button[]
}

/** A button (§2, rules 1 to 4): a label or an emoji; a `custom_id` unless it is a link, an https `url` if it is one. */
export type Button =
  | {
      style: 'primary' | 'secondary' | 'success' | 'danger'
      custom_id: string
      type: 'button'
      url?: undefined
      label?: string | undefined
      emoji?: string | undefined
      disabled?: boolean | undefined
    }
  | {
      style: 'link'
      url: string
      type: 'button'
      custom_id?: undefined
      label?: string | undefined
      emoji?: string | undefined
      disabled?: boolean | undefined
    }

/** An embed in a message (§2, Embed). Unknown keys are ignored, long texts are cut, extra fields are dropped. */
export interface Embed {
  title?: string | undefined
  url?: string | undefined
  description?: string | undefined
  color?: string | number | undefined
  author?: { name: string; icon_url?: string | undefined } | undefined
  fields?: { name: string; value: string; inline?: boolean | undefined }[] | undefined
  thumbnail?: { url: string } | undefined
  image?: { url: string } | undefined
  footer?: { text: string; icon_url?: string | undefined } | undefined
  timestamp?: string | undefined
}

/** The envelope of a polled event (§6). The type may be unknown to this version. */
export interface PolledEvent {
  id: number
  type: string
  data: { [key: string]: unknown; channel_id: string | null; server_id: string | null }
  created_at: string
}

/** The four answers to a click (§4, Callback). An `update` keeps omitted parts and removes those that are `null`. */
export type Callback =
  | {
      type: 'reply'
      content?: string | null | undefined
      embeds?: Embed[] | null | undefined
      components?: ActionRow[] | null | undefined
    }
  | {
      type: 'ephemeral'
      content?: string | null | undefined
      embeds?: Embed[] | null | undefined
      components?: undefined
    }
  | {
      type: 'update'
      content?: string | null | undefined
      embeds?: Embed[] | null | undefined
      components?: ActionRow[] | null | undefined
    }
  | { type: 'ack'; components?: undefined }

/** The body of a post to a channel webhook (§4, Channel webhooks). */
export interface ChannelWebhookPost {
  content?: string | null | undefined
  username?: string | null | undefined
  avatar_url?: string | null | undefined
  embeds?: Embed[] | null | undefined
  allowed_mentions?:
    | {
        parse?: ('users' | 'roles' | 'everyone')[] | undefined
        users?: string[] | undefined
        roles?: string[] | undefined
      }
    | undefined
}

/** The body of a new message (§4, Messages). */
export interface MessageCreate {
  content?: string | undefined
  reply_to?: string | undefined
  embeds?: Embed[] | undefined
  components?: ActionRow[] | undefined
}

/** The body of an edit: omitted keys keep their value, `null` removes embeds or components (§4, Messages). */
export interface MessageEdit {
  content?: string | undefined
  embeds?: Embed[] | null | undefined
  components?: ActionRow[] | null | undefined
}

/** The author of messages in a list (row 8). */
export interface Author {
  id: string
  username: string
  display_name: string | null
  avatar_url: string | null
  bot: boolean
}

/** A ban (row 12). */
export interface Ban {
  user_id: string
  username: string
  reason: string | null
  created_at: string
}

/** The bot's own profile (§2). */
export interface BotProfile {
  id: string
  username: string
  display_name: string | null
  bio: string
  avatar_url: string | null
  banner_url: string | null
  created_at: string
  bot: { name: string; public: boolean; owner_id: string }
}

/** A category (§2); lists also include `position`. */
export interface Category {
  id: string
  name: string
  position?: number | undefined
}

/** A channel (§2). */
export interface Channel {
  id: string
  name: string
  type: 'text' | 'voice'
  server_id: string
  position: number
  category: { id: string; name: string; position: number } | null
  category_id: string | null
  private: boolean
  read_only: boolean
  slowmode: number
}

/** A channel webhook as `GET` returns it (§4); never includes its token. */
export interface ChannelWebhook {
  id: string
  name: string
  avatar_url: string | null
  channel_id: string
  server_id: string
}

/** A registered command (§2). */
export interface Command {
  name: string
  description: string
}

/** A member of a server (row 11); `roles` are ids. */
export interface Member {
  user_id: string
  username: string
  display_name: string | null
  nickname: string | null
  roles: string[]
  bot: boolean
  joined_at: string
}

/** One member, with the end of its timeout (row 11). */
export interface MemberDetail {
  user_id: string
  username: string
  display_name: string | null
  nickname: string | null
  roles: string[]
  bot: boolean
  joined_at: string
  timeout_until: string | null
}

/** A message in responses (row 6). */
export interface Message {
  embeds: Embed[]
  components: ActionRow[]
  pinned: boolean
  edited_at: string | null
  reactions: Reaction[]
  id: string
  channel_id: string
  channel_name: string | null
  server_id: string | null
  author_id: string
  author: string
  content: string
  attachment: string | null
  reply_to_id: string | null
  created_at: string
  mentioned: boolean
  author_bot: boolean
}

/** A user's public profile (row 14). */
export interface PublicProfile {
  id: string
  username: string
  display_name: string | null
  bio: string
  avatar_url: string | null
  banner_url: string | null
  bot: boolean
  created_at: string
}

/** The reactions with one emoji on a message (row 13). */
export interface Reaction {
  emoji: string
  count: number
  me: boolean
  user_ids: string[]
}

/** A role (row 10). A greater `position` means a higher role (row 36). */
export interface Role {
  id: string
  name: string
  color: string | null
  position: number
  permissions: string[]
}

/** A server (row 9). */
export interface Server {
  id: string
  name: string
  owner_id: string
  icon_url: string | null
  member_count: number
  created_at: string
}

/** The data of each event type (§6). */
export interface EventsData {
  message: {
    id: string
    channel_id: string
    channel_name: string | null
    server_id: string | null
    author_id: string
    author: string
    content: string
    attachment: string | null
    reply_to_id: string | null
    created_at: string
    mentioned: boolean
    author_bot: boolean
    command?: string | undefined
    args?: string | undefined
  }
  interaction: {
    id: string
    token: string
    type: 'button'
    custom_id: string
    message_id: string
    channel_id: string
    server_id: string | null
    user_id: string
    username: string
    expires_at: string
  }
  member_join: {
    joined_at: string
    member_count: number
    server_id: string
    channel_id: null
    user_id: string
    username: string
  }
  member_leave: { member_count: number; server_id: string; channel_id: null; user_id: string; username: string }
  reaction_add: {
    message_id: string
    channel_id: string
    server_id: string | null
    user_id: string
    username: string
    emoji: string
    message_author_id: string
  }
  reaction_remove: {
    message_id: string
    channel_id: string
    server_id: string | null
    user_id: string
    username: string
    emoji: string
    message_author_id: string
  }
  voice_join: { user_id: string; channel_id: string; server_id: string }
  voice_leave: { user_id: string; channel_id: string; server_id: string }
  test: { channel_id: string | null; server_id: string | null }
}

/** The input and output of each endpoint (§4): path parameters, query and body in one flat object, and the response. */
export interface Calls {
  me: {
    /** Get the bot's own profile (§4, Bot): `GET /me` */
    get: { input: object; output: BotProfile }
    /** Update the display name and the bio (§4, Bot): `PATCH /me` */
    update: { input: { display_name?: string | null | undefined; bio?: string | undefined }; output: BotProfile }
    /** Set the avatar (§4, Bot): `PUT /me/avatar` */
    setAvatar: {
      input: { file: Blob | Uint8Array; content_type?: string }
      output: { ok: true; avatar_url?: string | undefined }
    }
    /** Remove the avatar (§4, Bot): `DELETE /me/avatar` */
    removeAvatar: { input: object; output: { ok: true } }
    /** Set the banner (§4, Bot): `PUT /me/banner` */
    setBanner: {
      input: { file: Blob | Uint8Array; content_type?: string }
      output: { ok: true; banner_url?: string | undefined }
    }
    /** Remove the banner (§4, Bot): `DELETE /me/banner` */
    removeBanner: { input: object; output: { ok: true } }
    /** Set the presence and the activity (§4, Bot): `PUT /me/status` */
    setStatus: {
      input: { status: 'online' | 'idle' | 'dnd'; activity?: string | null | undefined }
      output: { ok: true; status: 'online' | 'idle' | 'dnd'; activity: string | null }
    }
  }
  commands: {
    /** List the registered commands (§4, Bot): `GET /commands` */
    list: { input: object; output: { commands: Command[] } }
    /** Replace the list of registered commands (§4, Bot): `PUT /commands` */
    replace: { input: { commands: Command[] }; output: { ok: true; commands: Command[] } }
  }
  events: {
    /** Poll for events after an id; 0 means from now on (§4, Events): `GET /events` */
    list: {
      input: { after?: number | undefined; wait?: number | undefined }
      output: { events: PolledEvent[]; last: number }
    }
  }
  servers: {
    /** List the servers that the bot is in (§4, Servers): `GET /servers` */
    list: { input: object; output: { servers: Server[] } }
    /** Get a server (§4, Servers): `GET /servers/{server_id}` */
    get: { input: { server_id: string }; output: { server: Server } }
    /** List a server's roles (§4, Servers): `GET /servers/{server_id}/roles` */
    roles: { input: { server_id: string }; output: { roles: Role[] } }
  }
  members: {
    /** List a page of members, sorted by user id (§4, Servers): `GET /servers/{server_id}/members` */
    list: {
      input: { server_id: string; limit?: number | undefined; after?: string | undefined }
      output: { members: Member[] }
    }
    /** Get a member with roles, nickname and timeout (§4, Servers): `GET /servers/{server_id}/members/{user_id}` */
    get: { input: { server_id: string; user_id: string }; output: { member: MemberDetail } }
  }
  channels: {
    /** List a server's channels and categories in sidebar order (§4, Channels and categories): `GET /servers/{server_id}/channels` */
    listOfServer: {
      input: { server_id: string; type?: 'text' | 'voice' | undefined }
      output: { channels: Channel[]; categories: Category[] }
    }
    /** Create a channel (§4, Channels and categories): `POST /servers/{server_id}/channels` */
    create: {
      input: {
        server_id: string
        name: string
        kind?: 'text' | 'voice' | undefined
        category_id?: string | null | undefined
      }
      output: { channel: Channel }
    }
    /** List the channels of all servers that the bot is in (§4, Channels and categories): `GET /channels` */
    list: { input: { type?: 'text' | 'voice' | undefined }; output: { channels: Channel[] } }
    /** Get a channel (§4, Channels and categories): `GET /channels/{channel_id}` */
    get: { input: { channel_id: string }; output: { channel: Channel } }
    /** Update a channel (§4, Channels and categories): `PATCH /channels/{channel_id}` */
    update: {
      input: {
        channel_id: string
        name?: string | undefined
        category_id?: string | null | undefined
        private?: boolean | undefined
        role_ids?: string[] | undefined
        read_only?: boolean | undefined
        post_role_ids?: string[] | undefined
        slowmode?: number | undefined
      }
      output: { channel: Channel }
    }
    /** Delete a channel (§4, Channels and categories): `DELETE /channels/{channel_id}` */
    delete: { input: { channel_id: string }; output: { ok: true } }
  }
  categories: {
    /** Create a category (§4, Channels and categories): `POST /servers/{server_id}/categories` */
    create: { input: { server_id: string; name: string }; output: { category: Category } }
    /** Rename a category (§4, Channels and categories): `PATCH /servers/{server_id}/categories/{category_id}` */
    update: { input: { server_id: string; category_id: string; name?: string | undefined }; output: { ok: true } }
    /** Delete a category (§4, Channels and categories): `DELETE /servers/{server_id}/categories/{category_id}` */
    delete: { input: { server_id: string; category_id: string }; output: { ok: true } }
  }
  moderation: {
    /** Set or clear a nickname (§4, Moderation): `PATCH /servers/{server_id}/members/{user_id}` */
    setNickname: { input: { server_id: string; user_id: string; nickname: string | null }; output: { ok: true } }
    /** Add a role to a member (§4, Moderation): `PUT /servers/{server_id}/members/{user_id}/roles/{role_id}` */
    addRole: { input: { server_id: string; user_id: string; role_id: string }; output: { ok: true } }
    /** Remove a role from a member (§4, Moderation): `DELETE /servers/{server_id}/members/{user_id}/roles/{role_id}` */
    removeRole: { input: { server_id: string; user_id: string; role_id: string }; output: { ok: true } }
    /** Kick a member (§4, Moderation): `POST /servers/{server_id}/kick` */
    kick: { input: { server_id: string; user_id: string }; output: { ok: true } }
    /** List the bans of a server (§4, Moderation): `GET /servers/{server_id}/bans` */
    bans: { input: { server_id: string }; output: { bans: Ban[] } }
    /** Ban a person (§4, Moderation): `POST /servers/{server_id}/bans` */
    ban: { input: { server_id: string; user_id: string; reason?: string | null | undefined }; output: { ok: true } }
    /** Lift a ban (§4, Moderation): `DELETE /servers/{server_id}/bans/{user_id}` */
    unban: { input: { server_id: string; user_id: string }; output: { ok: true } }
    /** Time out a member; 0 minutes ends the timeout (§4, Moderation): `POST /servers/{server_id}/timeouts` */
    timeout: {
      input: { server_id: string; user_id: string; minutes: number; reason?: string | null | undefined }
      output: { ok: true; timeout_until: string | null }
    }
  }
  voice: {
    /** List the people in the voice channels that the bot can see (§4, Voice): `GET /servers/{server_id}/voice` */
    list: { input: { server_id: string }; output: { voice: { channel_id: string; user_ids: string[] }[] } }
    /** Move a person to another voice channel (§4, Voice): `POST /servers/{server_id}/voice/move` */
    move: { input: { server_id: string; user_id: string; channel_id: string }; output: { ok: true } }
    /** Disconnect a person from voice (§4, Voice): `POST /servers/{server_id}/voice/disconnect` */
    disconnect: { input: { server_id: string; user_id: string }; output: { ok: true } }
  }
  messages: {
    /** List messages, oldest first; `after` reads forward from a time (§4, Messages): `GET /channels/{channel_id}/messages` */
    list: {
      input: { channel_id: string; limit?: number | undefined; before?: string | undefined; after?: string | undefined }
      output: { messages: Message[]; authors: Author[] }
    }
    /** Post a message (§4, Messages): `POST /channels/{channel_id}/messages` */
    create: {
      input: {
        channel_id: string
        content?: string | undefined
        reply_to?: string | undefined
        embeds?: Embed[] | undefined
        components?: ActionRow[] | undefined
      }
      output: Message
    }
    /** Get a message (§4, Messages): `GET /channels/{channel_id}/messages/{message_id}` */
    get: { input: { channel_id: string; message_id: string }; output: Message }
    /** Edit the bot's own message (§4, Messages): `PATCH /channels/{channel_id}/messages/{message_id}` */
    update: {
      input: {
        channel_id: string
        message_id: string
        content?: string | undefined
        embeds?: Embed[] | null | undefined
        components?: ActionRow[] | null | undefined
      }
      output: Message
    }
    /** Delete a message (§4, Messages): `DELETE /channels/{channel_id}/messages/{message_id}` */
    delete: { input: { channel_id: string; message_id: string }; output: { ok: true } }
    /** Delete up to 100 messages (§4, Messages): `POST /channels/{channel_id}/messages/bulk-delete` */
    bulkDelete: { input: { channel_id: string; ids: string[] }; output: { deleted: string[]; skipped: string[] } }
    /** Pin a message (§4, Messages): `PUT /channels/{channel_id}/messages/{message_id}/pin` */
    pin: { input: { channel_id: string; message_id: string }; output: { ok: true } }
    /** Unpin a message (§4, Messages): `DELETE /channels/{channel_id}/messages/{message_id}/pin` */
    unpin: { input: { channel_id: string; message_id: string }; output: { ok: true } }
  }
  reactions: {
    /** List the reactions on a message (§4, Messages): `GET /channels/{channel_id}/messages/{message_id}/reactions` */
    list: { input: { channel_id: string; message_id: string }; output: { reactions: Reaction[] } }
    /** Add a reaction (§4, Messages): `PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji}` */
    add: { input: { emoji: string; channel_id: string; message_id: string }; output: { ok: true } }
    /** Remove the caller's reaction (§4, Messages): `DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji}` */
    remove: { input: { emoji: string; channel_id: string; message_id: string }; output: { ok: true } }
  }
  interactions: {
    /** Answer a click (§4, Messages): `POST /interactions/{interaction_id}/{token}/callback` */
    callback: {
      input:
        | {
            token: string
            interaction_id: string
            type: 'reply'
            content?: string | null | undefined
            embeds?: Embed[] | null | undefined
            components?: ActionRow[] | null | undefined
          }
        | {
            token: string
            interaction_id: string
            type: 'ephemeral'
            content?: string | null | undefined
            embeds?: Embed[] | null | undefined
            components?: undefined
          }
        | {
            token: string
            interaction_id: string
            type: 'update'
            content?: string | null | undefined
            embeds?: Embed[] | null | undefined
            components?: ActionRow[] | null | undefined
          }
        | { token: string; interaction_id: string; type: 'ack'; components?: undefined }
      output: { ok: true; message?: Message | undefined }
    }
  }
  users: {
    /** Get a user's public profile (§4, Users): `GET /users/{user_id}` */
    get: { input: { user_id: string }; output: PublicProfile }
    /** Open the direct message channel with a person, or get the existing one (§4, Users): `POST /users/{user_id}/dm` */
    dm: { input: { user_id: string }; output: { channel_id: string } }
  }
}
