package io.csi4j.replication.ratis.kill;

import java.util.Optional;

/**
 * One operation on one volume, as its caller saw it.
 *
 * @param kind the operation
 * @param allocation the allocation that takes or releases; empty for a read
 * @param begun when the operation was sent, in nanoseconds
 * @param ended when its result came; {@link Long#MAX_VALUE} if it never came
 * @param result the result; empty if it never came, so that the operation may have happened, may happen later, or never
 */
public record Operation(Kind kind, String allocation, long begun, long ended, Optional<String> result) {
    public static final String OK = "ok";
    public static final String REJECTED = "rejected";
    public static final String FREE = "free";

    public enum Kind {
        /** Takes the volume; rejected while another allocation holds it. */
        TAKE,
        /**
         * Releases the volume. Accepted without an effect if the allocation does not hold it, so that it can be
         * repeated.
         */
        RELEASE,
        /** Reads the holder, with {@link io.csi4j.replication.ratis.RatisCommandLog#readLinearizable}. */
        READ
    }

    /** Returns the result of this operation on a volume with this holder. */
    String resultFor(String holder) {
        return switch (kind) {
            case TAKE -> holder.equals(FREE) || holder.equals(allocation) ? OK : REJECTED;
            case RELEASE -> OK;
            case READ -> holder;
        };
    }

    /** Returns the holder after this operation on a volume with this holder. */
    String holderAfter(String holder) {
        return switch (kind) {
            case TAKE -> holder.equals(FREE) ? allocation : holder;
            case RELEASE -> holder.equals(allocation) ? FREE : holder;
            case READ -> holder;
        };
    }
}
