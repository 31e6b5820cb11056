package io.csi4j.simulation.internal.database;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.simulation.internal.server.LogSite;
import io.csi4j.simulation.internal.world.PortDecorator.DatabaseRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rows of the log as far as they are committed, and the transactions that change them. */
final class Tables {
    private final LogSite site;
    private final DatabaseRules rules;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Set<Identity> identities = new HashSet<>();
    private long headTerm;
    private Lease lease = new Lease(0, 0, 0);

    /**
     * A row of the log.
     *
     * @param term the leadership to which the command is bound; 0: none
     * @param origin the process that has submitted the command
     * @param number the number of the command in its process
     */
    record Entry(long term, long origin, long number, Command command) {}

    /**
     * The row of the lease.
     *
     * @param holder the process that has it; 0: none
     */
    record Lease(long term, long renewals, long holder) {}

    /** The rows that a server reads in each period. */
    record Head(long lastIndex, Lease lease) {}

    /** The entries after those that a server has, and the head that was read with them. */
    record Tail(List<Entry> entries, Head head) {}

    private record Identity(long origin, long number) {}

    Tables(LogSite site, DatabaseRules rules) {
        this.site = site;
        this.rules = rules;
    }

    Head head() {
        return new Head(entries.size(), lease);
    }

    Tail after(long index) {
        return new Tail(List.copyOf(entries.subList((int) index, entries.size())), head());
    }

    /** Returns the outcome of the entry at an index. */
    Outcome outcome(long index) {
        return outcomes.get((int) index - 1);
    }

    /**
     * Appends entries, if the log ends at an index and has no other leadership.
     *
     * @param added the entries
     * @param index the index that the last entry must have
     * @param term the leadership to which at least one entry is bound; 0: none
     * @return whether they were appended
     */
    boolean append(List<Entry> added, long index, long term) {
        boolean former = term != 0 && term != headTerm;
        if (former && rules.refusesFormerTerms()) {
            site.world().coverage().fault("command of a former leader refused");
            return false;
        }
        if (entries.size() != index) {
            return false;
        }
        added.forEach(this::commit);
        return true;
    }

    private void commit(Entry entry) {
        if (entry.term != 0 && entry.term != lease.term) {
            site.violation("I23: a command of term " + entry.term + " is committed in term " + lease.term);
        }
        if (!identities.add(new Identity(entry.origin, entry.number))) {
            site.violation("I23: a command is in the log twice: "
                    + entry.command.getClass().getSimpleName());
        }
        entries.add(entry);
        outcomes.add(site.committed(entries.size(), entry.command));
    }

    /** Renews the lease of a process, if it still has it. */
    boolean renew(long term, long holder) {
        if (lease.term != term || lease.holder != holder) {
            return false;
        }
        lease = new Lease(term, lease.renewals + 1, holder);
        return true;
    }

    /**
     * Takes the lease, if it is still as it was seen.
     *
     * @return the new lease; empty: it has changed
     */
    Optional<Lease> take(Lease seen, long holder) {
        if (!lease.equals(seen)) {
            return Optional.empty();
        }
        headTerm = lease.term + 1;
        lease = new Lease(headTerm, lease.renewals + 1, holder);
        return Optional.of(lease);
    }
}
