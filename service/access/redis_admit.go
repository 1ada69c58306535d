package access

import (
	"context"
	"fmt"
)

// refundTimeout bounds a refund, whose request may have ended already: connecting, and an answer.
const refundTimeout = dialTimeout + answerTimeout

// Admit implements Store.
func (r *Redis) Admit(ctx context.Context, key string) (Admission, error) {
	if !isKey(key) {
		return Admission{Verdict: UnknownKey}, nil
	}
	answer, err := r.run(ctx, "admit", r.scripts.admit, append([]any{hashKey(key)}, r.tiers...)...)
	if err != nil {
		return Admission{}, err
	}
	word := answer.text()
	if word == "unknown" {
		return Admission{Verdict: UnknownKey}, nil
	}
	user, tier := answer.text(), Tier(answer.text())
	used, now := answer.number(), answer.instant()
	if answer.err != nil {
		return Admission{}, fmt.Errorf("admit: %w", answer.err)
	}
	verdict := Admitted
	switch word {
	case "quota":
		verdict = exhausted(tier)
	case "burst":
		verdict = BurstExceeded
	}
	return r.limits.admission(verdict, user, tier, used, now), nil
}

// Refund implements Store.
func (r *Redis) Refund(ctx context.Context, a Admission) error {
	if a.counter == "" {
		return nil // nothing was counted
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTimeout)
	defer cancel()
	_, err := r.run(ctx, "refund", r.scripts.refund, a.User, a.counter)
	return err
}
