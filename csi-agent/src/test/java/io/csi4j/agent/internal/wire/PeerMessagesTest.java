package io.csi4j.agent.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.csi4j.core.id.NodeId;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.values.v1.ValuesProto.MountOptions;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The messages and calls that this process holds for one peer, and for all peers, until it has answered. */
class PeerMessagesTest {
    private static final WireCaller GREEDY = WireCaller.agentOf(NodeId.of("greedy"));
    private static final AgentCall LARGE = AgentCall.newBuilder()
            .setPlugin(PluginCall.newBuilder().setRequest(ByteString.copyFrom(new byte[8 << 20])))
            .build();

    private final PeerMessages messages = new PeerMessages();
    private final List<CompletableFuture<String>> unanswered = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();

    private void call(WireCaller peer, com.google.protobuf.Message message) {
        messages.serve(
                peer,
                message,
                observer(),
                () -> {
                    CompletableFuture<String> work = new CompletableFuture<>();
                    unanswered.add(work);
                    return work;
                },
                failure -> failure.getClass().getSimpleName() + ": " + failure.getMessage());
    }

    private StreamObserver<String> observer() {
        return new StreamObserver<>() {
            @Override
            public void onNext(String answer) {
                answers.add(answer);
            }

            @Override
            public void onError(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onCompleted() {}
        };
    }

    @Test
    void largeMessagesOfOnePeerHaveLimitInSumAndOtherPeersAreServed() {
        for (int i = 0; i < 10; i++) {
            call(GREEDY, LARGE);
        }
        assertThat(unanswered).hasSize(7);
        assertThat(answers)
                .hasSize(3)
                .allSatisfy(answer -> assertThat(answer)
                        .startsWith("PeerLimitException: the sum of the unanswered messages of the agent of node greedy"
                                + " has 67")
                        .contains("bytes, and at most 67108864 are accepted")
                        .endsWith("the call is refused, repeat it later"));
        answers.clear();

        call(WireCaller.agentOf(NodeId.of("other")), LARGE);
        assertThat(unanswered).hasSize(8);
        assertThat(answers).isEmpty();

        // An answer makes room again.
        unanswered.get(0).complete("done");
        call(GREEDY, LARGE);
        assertThat(unanswered).hasSize(9);
        assertThat(answers).containsExactly("done");
    }

    @Test
    void callsOfOnePeerHaveLimitInNumber() {
        for (int i = 0; i < 10_001; i++) {
            call(GREEDY, ClaimCall.getDefaultInstance());
        }
        assertThat(unanswered).hasSize(10_000);
        assertThat(answers)
                .containsExactly("PeerLimitException: the sum of the unanswered calls of the agent of node greedy has"
                        + " 10001 calls, and at most 10000 are accepted (of csi4j); the call is refused, repeat it"
                        + " later");
    }

    /** Calls of many peers, so that none reaches its own limit; all of them are answered, and then come again. */
    @Test
    void callsOfAllPeersHaveLimitInNumberAndEachAnswerMakesRoom() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 100_001; i++) {
                call(node(i % 11), ClaimCall.getDefaultInstance());
            }
            assertThat(unanswered).hasSize(100_000);
            assertThat(answers)
                    .containsExactly(
                            "PeerLimitException: the sum of the unanswered calls of all peers has 100001 calls,"
                                    + " and at most 100000 are accepted (of csi4j); the call is refused, repeat it later");
            answerAll();
        }
    }

    @Test
    void messagesOfAllPeersHaveLimitInSumAndEachAnswerMakesRoom() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 40; i++) {
                call(node(i % 8), LARGE);
            }
            // 31 messages of a little more than 8 MiB are less than 256 MiB.
            assertThat(unanswered).hasSize(31);
            assertThat(answers)
                    .hasSize(9)
                    .allSatisfy(answer -> assertThat(answer)
                            .startsWith("PeerLimitException: the sum of the unanswered messages of all peers has 268")
                            .contains("bytes, and at most 268435456 are accepted"));
            answerAll();
        }
    }

    @Test
    void firstMessageOfAPeerHasOnlyTheLimitOfItsConnection() {
        for (int i = 0; i < 32; i++) {
            call(node(i), LARGE);
        }
        assertThat(unanswered).hasSize(32);
        assertThat(answers).isEmpty();
        call(node(0), LARGE);
        assertThat(unanswered).hasSize(32);
        assertThat(answers).hasSize(1);
    }

    @Test
    void answersMakeRoomForCallsOfTheSamePeer() {
        for (int i = 0; i < 10_000; i++) {
            call(GREEDY, ClaimCall.getDefaultInstance());
        }
        // All but the last, so that the peer keeps its entry.
        unanswered.subList(0, 9_999).forEach(work -> work.complete("done"));
        for (int i = 0; i < 9_999; i++) {
            call(GREEDY, ClaimCall.getDefaultInstance());
        }
        assertThat(unanswered).hasSize(19_999);
        assertThat(answers).hasSize(9_999).containsOnly("done");
    }

    @Test
    void workThatDoesNotBeginHoldsNothing() {
        for (int i = 0; i < 10_001; i++) {
            messages.serve(
                    GREEDY,
                    ClaimCall.getDefaultInstance(),
                    observer(),
                    () -> {
                        throw new NoClassDefFoundError("planned");
                    },
                    failure -> failure.getClass().getSimpleName());
        }
        assertThat(answers).hasSize(10_001).containsOnly("NoClassDefFoundError");
    }

    private static WireCaller node(int number) {
        return WireCaller.agentOf(NodeId.of("node-" + number));
    }

    private void answerAll() {
        unanswered.forEach(work -> work.complete("done"));
        unanswered.clear();
        answers.clear();
    }

    @Test
    void messageWithFieldBeyondLimitIsNotServedAndNotHeld() {
        ClaimCall call = ClaimCall.newBuilder()
                .addVolumes(io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume.newBuilder()
                        .setMountOptions(MountOptions.newBuilder().setFsType("x".repeat(1_000))))
                .build();
        call(GREEDY, call);
        assertThat(unanswered).isEmpty();
        assertThat(answers)
                .containsExactly("IllegalArgumentException: volumes[0].mountOptions.fsType has 1000 bytes, and at most"
                        + " 128 are accepted (R16); the message is refused");
    }
}
