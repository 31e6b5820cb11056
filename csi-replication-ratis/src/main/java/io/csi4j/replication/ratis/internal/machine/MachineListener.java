package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.spi.LogFailedException;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Receives the events of the state machine, on threads of Ratis. The methods must not block and must not throw. */
public interface MachineListener {
    /** This peer was elected, and has applied all entries that were committed before. */
    void elected();

    /** This peer does not lead any more. */
    void deposed();

    /** Another peer leads now. */
    void followed(RaftPeerId leader);

    /** There has been no leader for a while. */
    void leaderMissing();

    /** An entry was applied, or a snapshot was installed. */
    void applied(long index);

    /** The peers have to compare their states now. The digest covers all commands up to the index. */
    void checkDue(long index, ByteString digest);

    /** This peer has to stop. */
    void failed(LogFailedException failure);
}
