/** The role that answers tickets; the bot has it too, so that it sees their channels. */
export const STAFF = 'staff'
