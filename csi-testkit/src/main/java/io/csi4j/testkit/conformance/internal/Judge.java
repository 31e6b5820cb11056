package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.Finding;
import io.csi4j.testkit.conformance.Requirement;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/** Judges the answers of the plugin in one run of one check. Each finding quotes the rule that the answer deviates from. */
public abstract class Judge {
    private final RawCalls calls;
    private final RuleChoice rules;
    private final MessageText text;
    private final List<Finding> findings = Collections.synchronizedList(new ArrayList<>());

    Judge(RawCalls calls, RuleChoice rules, MessageText text) {
        this.calls = calls;
        this.rules = rules;
        this.text = text;
    }

    /** Returns the object that makes calls which a check cancels, repeats, or makes at the same time. */
    public RawCalls calls() {
        return calls;
    }

    /** Returns the name of the RPC that was answered last. */
    public String lastRpc() {
        return calls.lastRpc();
    }

    Rule ruleOf(String rpc) {
        return rules.of(rpc);
    }

    /** Ends the check with a violation of its first rule unless a condition holds. */
    public void must(boolean condition, String finding) {
        must(rules.first(), condition, finding);
    }

    /** Ends the check with a violation of a rule unless a condition holds. */
    public void must(Rule rule, boolean condition, String finding) {
        if (!condition) {
            throw new Violation(finding(finding, true, Requirement.MUST, rule));
        }
    }

    /** Adds a violation of a rule unless a condition holds. The check continues. */
    public void mustLater(Rule rule, boolean condition, String finding) {
        if (!condition) {
            findings.add(finding(finding, true, Requirement.MUST, rule));
        }
    }

    /** Adds a warning about the first rule of the check unless a condition holds. */
    public void should(boolean condition, String finding) {
        should(rules.first(), condition, finding);
    }

    /** Adds a warning about a rule unless a condition holds. */
    public void should(Rule rule, boolean condition, String finding) {
        should(rule.requirement(), rule, condition, finding);
    }

    /**
     * Adds a warning unless a condition holds.
     *
     * @param requirement the word of the specification, if the rule as a whole has another one
     */
    public void should(Requirement requirement, Rule rule, boolean condition, String finding) {
        if (!condition) {
            findings.add(finding(finding, false, requirement, rule));
        }
    }

    private Finding finding(String sentence, boolean failure, Requirement requirement, Rule rule) {
        return new Finding(
                text.safe(sentence),
                failure,
                requirement,
                rule.name(),
                rule.section(),
                rule.demand(),
                calls.lastMessage());
    }

    /** Returns the finding that this machine, and not the plugin, did not do its part. */
    Finding machineFailed(Exception failure) {
        return new Finding(text.whole("this machine failed: " + failure), true, null, "", "", "", "");
    }

    /** Ends the check without a result unless a condition holds. */
    public void applies(boolean condition, String reason) {
        if (!condition) {
            throw new NotApplicable(text.safe(reason));
        }
    }

    /** Ends the check without a result unless the answers so far decide it. */
    public void decided(boolean condition, String reason) {
        applies(condition, "not decided: " + reason);
    }

    /** Makes a call that has to succeed by a rule. */
    public <T> T succeeds(Rule rule, Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            if (NoAnswer.is(e)) {
                throw e;
            }
            throw new Violation(unexpected(rule, e));
        }
    }

    /** Returns the finding that a call did not succeed, with the rule that demands it. */
    Finding unexpected(StatusRuntimeException failure) {
        return unexpected(rules.of(calls.lastRpc()), failure);
    }

    private Finding unexpected(Rule rule, StatusRuntimeException failure) {
        Code code = failure.getStatus().getCode();
        return finding(
                calls.lastRpc()
                        + (NoAnswer.is(failure)
                                ? " gave no answer (" + code + ")"
                                : " answered " + code + " and must succeed here"),
                true,
                Requirement.MUST,
                rule);
    }

    /** Several calls. */
    public interface Calls {
        void make() throws Exception;
    }

    /**
     * Makes calls of which the specification only recommends that they succeed. Violations in them, and calls that fail, become warnings, and the
     * check continues after them.
     *
     * @return whether all calls succeeded without a violation
     */
    public boolean recommends(Rule rule, Calls made) throws Exception {
        try {
            made.make();
            return true;
        } catch (Violation e) {
            should(rule, false, e.finding().text());
        } catch (StatusRuntimeException e) {
            if (NoAnswer.is(e)) {
                throw e;
            }
            should(rule, false, calls.lastRpc() + " answered " + e.getStatus().getCode() + "; OK is expected");
        }
        return false;
    }

    /** Makes a call and returns its status code. */
    public Code codeOf(Supplier<?> call) {
        try {
            Object unused = call.get();
            return Code.OK;
        } catch (StatusRuntimeException e) {
            if (NoAnswer.is(e)) {
                throw e;
            }
            return e.getStatus().getCode();
        }
    }

    /** Ends the check with a violation of its first rule unless the call is refused with one of the codes. */
    public void refused(Supplier<?> call, Code... codes) {
        refused(rules.first(), call, codes);
    }

    /** Ends the check with a violation of a rule unless the call is refused with one of the codes. */
    public void refused(Rule rule, Supplier<?> call, Code... codes) {
        Code code = codeOf(call);
        must(
                rule,
                List.of(codes).contains(code),
                calls.lastRpc() + " answered " + code + " and must answer " + either(codes));
    }

    /** Adds a warning about the first rule of the check unless the call is refused with one of the codes. */
    public void shouldRefuse(Supplier<?> call, Code... codes) {
        shouldRefuse(rules.first(), call, codes);
    }

    /** Adds a warning about a rule unless the call is refused with one of the codes. */
    public void shouldRefuse(Rule rule, Supplier<?> call, Code... codes) {
        shouldRefuse(rule.requirement(), rule, call, codes);
    }

    /**
     * Adds a warning unless the call is refused with one of the codes.
     *
     * @param requirement the word of the specification, if the rule as a whole has another one
     */
    public void shouldRefuse(Requirement requirement, Rule rule, Supplier<?> call, Code... codes) {
        Code code = codeOf(call);
        should(
                requirement,
                rule,
                List.of(codes).contains(code),
                calls.lastRpc() + " answered " + code + "; " + either(codes) + " is expected");
    }

    private static String either(Code... codes) {
        return String.join(" or ", List.of(codes).stream().map(Code::name).toList());
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }
}
