package io.csi4j.replication.jdbc.internal.submit;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Timer;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.Recorded;
import io.csi4j.replication.jdbc.internal.db.SubmissionTable;
import io.csi4j.state.CommandCodec;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands of the host's transactions, which the leader moves to the log in the order of their ids. A command that
 * cannot be read blocks those after it, because they may depend on it: an allocation that has not started has no claims.
 * The log thread uses it.
 */
public final class RecordedCommands {
    /** The greatest number and the size of those that go into one transaction, so that other commands do not wait long. */
    public static final int MOST_COMMANDS = 500;

    private static final int MOST_BYTES = 2 << 20;

    private static final System.Logger LOG = System.getLogger(RecordedCommands.class.getName());
    private static final Duration REPEATED = Duration.ofMinutes(1);
    private static final Duration LONG_BACKLOG = Duration.ofSeconds(10);

    private final Database database;
    private final SubmissionTable table;
    private final CommandCodec codec;
    private final Timer timer;
    private final CauseLog causes;
    private final String place;
    private boolean more;
    private boolean backlog;
    private long backlogSince;
    private final Repeated blocked = new Repeated();
    private final Repeated slow = new Repeated();

    /** Lets a line about one thing be written once in a while. */
    private final class Repeated {
        private @Nullable Object about;
        private long at;

        boolean due(Object now) {
            if (now.equals(about) && timer.nanoTime() - at < REPEATED.toNanos()) {
                return false;
            }
            about = now;
            at = timer.nanoTime();
            return true;
        }
    }

    /**
     * Creates an object that has read nothing.
     *
     * @param database reads the commands
     * @param table the statements
     * @param codec reads the commands
     * @param timer measures the time between two lines about one problem
     * @param clock decides when a line about a rejected command is repeated
     * @param place the name of the tables, for messages
     */
    public RecordedCommands(
            Database database, SubmissionTable table, CommandCodec codec, Timer timer, Clock clock, String place) {
        this.database = database;
        this.table = table;
        this.codec = codec;
        this.timer = timer;
        this.causes = new CauseLog(LOG, clock);
        this.place = place;
    }

    /**
     * Returns the next commands that the log can take.
     *
     * @return the commands in the order of their ids, without those after one that cannot be read
     */
    public List<Recorded> next() throws SQLException {
        List<Recorded> found = database.statement(connection -> table.recorded(connection, MOST_COMMANDS, MOST_BYTES));
        int readable = 0;
        while (readable < found.size() && readable(found.get(readable))) {
            readable++;
        }
        // A full transaction is followed by another one; a single command may be as large as that.
        more = readable == found.size() && (readable == MOST_COMMANDS || bytes(found) >= MOST_BYTES);
        watchBacklog();
        return found.subList(0, readable);
    }

    private static int bytes(List<Recorded> commands) {
        return commands.stream().mapToInt(command -> command.content().length).sum();
    }

    /** Returns whether more commands followed those of the last {@link #next}. */
    public boolean more() {
        return more;
    }

    private boolean readable(Recorded recorded) {
        String reason;
        try {
            if (Recordable.subject(codec.decodeCommand(recorded.content())).isPresent()) {
                return true;
            }
            reason = "it is a command that this version does not take from transactions of the host";
        } catch (RuntimeException e) {
            reason = String.valueOf(e.getMessage());
        }
        if (blocked.due(recorded.id())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The command with id " + recorded.id() + " (" + recorded.subject()
                            + ") of a transaction of the host"
                            + " cannot be read: " + reason
                            + ". It waits, and so do all that were recorded after it. Give"
                            + " this server the newest version that runs in the cluster, and the keys of all servers; to"
                            + " give the command up, run: DELETE FROM " + table.name() + " WHERE id = "
                            + recorded.id() + ";");
        }
        return false;
    }

    private void watchBacklog() throws SQLException {
        if (!more) {
            backlog = false;
            return;
        }
        if (!backlog) {
            backlog = true;
            backlogSince = timer.nanoTime();
        }
        if (timer.nanoTime() - backlogSince >= LONG_BACKLOG.toNanos() && slow.due(LONG_BACKLOG)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Transactions of the host record commands faster than " + place + " takes them: "
                            + database.statement(table::backlog)
                            + ". Let the host record fewer; the other commands are not delayed");
        }
    }

    /**
     * An entry of the present leadership was applied; the host has no future for its outcome.
     *
     * @param entry an entry from a transaction of the host
     */
    public void applied(Entry entry, Outcome outcome) {
        if (outcome instanceof Outcome.Rejected rejected) {
            String subject =
                    Recordable.subject(codec.decodeCommand(entry.content())).orElse("unknown");
            causes.warn(
                    subject,
                    "The command with id " + entry.number() + " of a transaction of the host was rejected and changed"
                            + " nothing (" + subject + "): "
                            + rejected.reason().message());
        }
    }
}
