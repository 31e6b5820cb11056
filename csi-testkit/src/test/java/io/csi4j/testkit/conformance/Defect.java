package io.csi4j.testkit.conformance;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.csi4j.testkit.conformance.FaultyFake.Call;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A planted defect.
 *
 * @param text the wrong behaviour
 * @param rule the rule that it breaks
 * @param check the check that finds it
 * @param outcome FAILED, or WARNED if the rule is a recommendation
 * @param behaviour makes the behaviour; may keep a state
 * @param streamed changes the requests and messages of streams
 * @param variant the plugin and the settings
 */
record Defect(
        String text,
        String rule,
        String check,
        CheckOutcome outcome,
        Supplier<Behaviour> behaviour,
        UnaryOperator<Message> streamed,
        Variant variant) {
    /**
     * The longest time for which a planted defect waits for the end of a lost call. On a busy machine the kit ends it late.
     */
    static final int LOST_MILLIS = 300;

    /** The plugin and the settings of a run with a defect. */
    enum Variant {
        MOUNT,
        BLOCK,
        EXPECT_MOUNTS,
        /** The settings name a parameter that the plugin has to refuse. */
        INFEASIBLE,
        OFFLINE,
        RESTART_KEEPS,
        RESTART_FORGETS,
        SECRETS,
        /** The plugin mounts directories; needs root. */
        REAL_MOUNTS,
        /** The controller has an endpoint of its own, which has no defect. */
        TWO_ENDPOINTS,
        /** A call may last for a short time only. */
        SHORT_TIMEOUT,
        /** The plugin cannot list volumes. */
        NO_LISTS
    }

    Defect in(Variant other) {
        return new Defect(text, rule, check, outcome, behaviour, streamed, other);
    }

    Defect warns() {
        return new Defect(text, rule, check, CheckOutcome.WARNED, behaviour, streamed, variant);
    }

    static Defect planted(String text, String rule, String check, Supplier<Behaviour> behaviour) {
        return new Defect(text, rule, check, CheckOutcome.FAILED, behaviour, message -> message, Variant.MOUNT);
    }

    Defect streaming(UnaryOperator<Message> change) {
        return new Defect(text, rule, check, outcome, behaviour, change, variant);
    }

    static StatusRuntimeException error(Code code) {
        return Status.fromCode(code).withDescription("planted").asRuntimeException();
    }

    /** The plugin sees another request than the caller sent. */
    static <Q extends Message> Supplier<Behaviour> request(Class<Q> type, UnaryOperator<Q> change) {
        return () -> call -> type.isInstance(call.request())
                ? call.forward(change.apply(type.cast(call.request())))
                : call.forward();
    }

    /** The caller sees another answer than the plugin sent. */
    static <S extends Message> Supplier<Behaviour> answer(Class<S> type, UnaryOperator<S> change) {
        return () -> call -> {
            Message answer = call.forward();
            return type.isInstance(answer) ? change.apply(type.cast(answer)) : answer;
        };
    }

    /** A list begins anew with each page, and each page names a next one. */
    static <Q extends Message> Supplier<Behaviour> endless(Class<Q> type, Function<Q, String> nextToken) {
        return () -> call -> {
            if (!type.isInstance(call.request())) {
                return call.forward();
            }
            Q request = type.cast(call.request());
            FieldDescriptor asked = request.getDescriptorForType().findFieldByName("starting_token");
            Message answer = call.forward(request.toBuilder().clearField(asked).build());
            FieldDescriptor next = answer.getDescriptorForType().findFieldByName("next_token");
            return answer.toBuilder().setField(next, nextToken.apply(request)).build();
        };
    }

    /** Requests that fulfil a condition are refused. */
    static <Q extends Message> Supplier<Behaviour> refuses(Class<Q> type, Predicate<Q> condition, Code code) {
        return () -> call -> {
            if (type.isInstance(call.request()) && condition.test(type.cast(call.request()))) {
                throw error(code);
            }
            return call.forward();
        };
    }

    /** A refusal has another code. */
    static <Q extends Message> Supplier<Behaviour> code(Class<Q> type, Code right, Code wrong) {
        return () -> call -> {
            try {
                return call.forward();
            } catch (StatusRuntimeException e) {
                boolean planted =
                        type.isInstance(call.request()) && e.getStatus().getCode() == right;
                throw planted ? error(wrong) : e;
            }
        };
    }

    /** Instead of a refusal the caller gets an answer. */
    static <Q extends Message> Supplier<Behaviour> pretends(Class<Q> type, Code right, Message answer) {
        return () -> call -> {
            try {
                return call.forward();
            } catch (StatusRuntimeException e) {
                if (type.isInstance(call.request()) && e.getStatus().getCode() == right) {
                    return answer;
                }
                throw e;
            }
        };
    }

    /** A call that succeeded is refused when it is repeated. */
    static <Q extends Message> Supplier<Behaviour> refusesRepeat(Class<Q> type, Code code) {
        return () -> {
            Set<Message> done = ConcurrentHashMap.newKeySet();
            return call -> {
                if (!type.isInstance(call.request())) {
                    return call.forward();
                }
                if (done.contains(call.request())) {
                    throw error(code);
                }
                Message answer = call.forward();
                done.add(call.request());
                return answer;
            };
        };
    }

    /** A call does nothing and succeeds. */
    static <Q extends Message> Supplier<Behaviour> ignores(Class<Q> type, Message answer) {
        return () -> call -> type.isInstance(call.request()) ? answer : call.forward();
    }

    /** A call whose answer is lost can never be repeated. */
    static <Q extends Message> Supplier<Behaviour> breaksWhenLost(Class<Q> type) {
        return () -> {
            Set<Message> broken = ConcurrentHashMap.newKeySet();
            return call -> {
                if (!type.isInstance(call.request())) {
                    return call.forward();
                }
                if (broken.contains(call.request())) {
                    throw error(Code.INTERNAL);
                }
                if (lost(call)) {
                    broken.add(call.request());
                }
                return call.forward();
            };
        };
    }

    private static boolean lost(Call call) {
        return call.cancelledWithin(LOST_MILLIS);
    }

    /** Unary calls are answered as they should be. */
    static Supplier<Behaviour> none() {
        return () -> Call::forward;
    }
}
