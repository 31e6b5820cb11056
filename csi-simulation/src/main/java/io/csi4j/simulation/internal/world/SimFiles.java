package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.OwnershipOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** The files of all volumes, as each node sees them: a root directory, and some files below it. */
public final class SimFiles {
    /** The number of files below each root directory. */
    public static final int FILES = 3;

    private final Map<ExternalVolumeId, Tree> trees = new HashMap<>();
    /** Counts the files that workloads have written. */
    private long written;

    public Tree of(ExternalVolumeId volume) {
        return trees.computeIfAbsent(volume, unused -> new Tree());
    }

    /** Returns the number of files that workloads have written so far. */
    public long written() {
        return written;
    }

    /** A workload writes a file that it keeps for itself; the next change of all files gives it to the group again. */
    public void write(ExternalVolumeId volume) {
        written++;
        of(volume).ownSince[(int) (written % FILES)] = written;
    }

    /** The files of one volume. */
    public static final class Tree {
        private final long[] groups = new long[FILES];
        /** The number of the file that a workload wrote and keeps for itself; 0: the file is in its group. */
        private final long[] ownSince = new long[FILES];

        private long group;
        private boolean sign;
        private boolean alone;
        private long owner;

        private Tree() {}

        /** Returns whether the root directory says that all files belong to a group. */
        public boolean isFinished(long wanted) {
            return sign && group == wanted;
        }

        /** Returns whether the root directory has the owner, or none is wanted. */
        public boolean isOwned(OptionalLong wanted) {
            return wanted.isEmpty() || wanted.getAsLong() == owner;
        }

        /** Takes the sign of a finished change from the root directory. */
        public void takeSign() {
            sign = false;
        }

        public void giveFile(int file, long wanted) {
            groups[file] = wanted;
            ownSince[file] = 0;
        }

        public void giveRoot(long wanted, OptionalLong wantedOwner) {
            group = wanted;
            sign = true;
            wantedOwner.ifPresent(id -> owner = id);
        }

        /** Records that the root directory alone is changed at the request of a workload. */
        public void rootAlone() {
            alone = true;
        }

        /** Returns whether the root directory says that all files belong to its group although they do not. */
        public boolean isFinishedTooEarly() {
            return sign && !alone && IntStream.range(0, FILES).anyMatch(i -> groups[i] != group && ownSince[i] == 0);
        }

        /**
         * Returns in what the files differ from what a mount has asked for; empty: they do not.
         *
         * @param since the number of files that workloads had written when the change for the mount began
         */
        public String difference(long wanted, OwnershipOptions options, long since) {
            if (options.policy() == GroupChangePolicy.ROOT_IF_EMPTY) {
                return "";
            }
            if (!isFinished(wanted)) {
                return "the root directory is not finished";
            }
            if (!isOwned(options.rootOwner())) {
                return "the root directory has owner " + owner;
            }
            if (options.policy() == GroupChangePolicy.ROOT_ONLY) {
                return "";
            }
            for (int i = 0; i < FILES; i++) {
                boolean own = ownSince[i] > (options.policy() == GroupChangePolicy.ALWAYS ? since : 0);
                boolean given = groups[i] == wanted && ownSince[i] == 0;
                if (!own && !given) {
                    return "file " + i + " is not in the group";
                }
            }
            return "";
        }

        @Override
        public String toString() {
            return "group " + group + (sign ? " with sign" : " without sign") + ", owner " + owner + ", files "
                    + Arrays.toString(groups);
        }
    }
}
