/** The styles of a button that sends a click to the bot (§2). */
export const actionStyles = ['primary', 'secondary', 'success', 'danger'] as const

/** The permission names of a role (decisions row 10). */
export const permissions = [
  'manage_messages',
  'manage_roles',
  'kick_members',
  'ban_members',
  'timeout_members',
  'manage_channels',
  'manage_nicknames',
  'move_members',
  'manage_webhooks',
  'manage_server',
  'mention_everyone',
] as const
/** A permission of a role (§5). */
export type Permission = (typeof permissions)[number]
